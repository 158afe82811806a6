import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ChromiumProcess {
  /** The WebSocket address of its DevTools. */
  readonly endpoint: string;
  onExit(listener: () => void): void;
  /** Waits a moment for it to go by itself, then ends it; its profile is deleted. */
  end(): Promise<void>;
}

const SWITCHES = [
  '--remote-debugging-port=0',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-startup-window',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-extensions',
  '--disable-sync',
  '--password-store=basic',
  '--use-mock-keychain',
  '--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE *.localhost, EXCLUDE localhost',
];

/** Its standard input closes when this process dies in whatever way; the watchdog then ends Chromium too. */
const WATCHDOG = 'exec 3<&0; "$@" 3<&- </dev/null & p=$!; (cat <&3 >/dev/null; kill $p) 2>/dev/null & wait $p';

const END_LIMIT_MS = 3000;

function readEndpoint(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [, endpoint] = /DevTools listening on (ws:\/\/\S+)/.exec(text) ?? [];
      if (endpoint) resolve(endpoint);
    });
    child.once('exit', (code) => reject(new Error(`chromium exited with ${code}: ${text.slice(-2000)}`)));
  });
}

const atMost = (ms: number, work: Promise<void>): Promise<unknown> =>
  Promise.race([work, new Promise((resolve) => setTimeout(resolve, ms))]);

export async function startChromium(options: {
  readonly executable: string;
  readonly headed: boolean;
  readonly noSandbox: boolean;
}): Promise<ChromiumProcess> {
  const profile = mkdtempSync(join(tmpdir(), 'electron-stand-in-'));
  const switches = [...SWITCHES, `--user-data-dir=${profile}`];
  if (!options.headed) switches.push('--headless=new');
  if (options.noSandbox) switches.push('--no-sandbox');
  const child = spawn('sh', ['-c', WATCHDOG, 'sh', options.executable, ...switches], {
    stdio: ['pipe', 'ignore', 'pipe'],
    // Its own temporary files (the singleton's socket) go with the profile, however abruptly it ends.
    env: { ...process.env, TMPDIR: profile },
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // A signal to the whole process group ends the watchdog's shell before Chromium, which may write its profile once more:
  // all of its processes hold this pipe, and it closes with the last.
  const silent = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const endpoint = await readEndpoint(child);
  return {
    endpoint,
    onExit: (listener) => void gone.then(listener),
    end: async () => {
      await atMost(END_LIMIT_MS, silent);
      child.stdin?.end();
      await atMost(END_LIMIT_MS, silent);
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
