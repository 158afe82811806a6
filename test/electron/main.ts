/**
 * An `electron` executable made of Node and a system Chromium, for machines where Electron's own binary cannot be
 * had. It takes Electron's command line as far as Playwright and `electron .` use it. A run on it is never a test
 * of Electron itself.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import inspector from 'node:inspector';
import Module, { createRequire, registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createChromiumBackend } from './stand-in/chromium.ts';
import { createStandIn, type StandIn } from './stand-in/electron.ts';

interface CommandLine {
  readonly app: string | undefined;
  readonly requires: readonly string[];
  readonly inspectPort: number | null;
  readonly noSandbox: boolean;
}

function parseCommandLine(args: readonly string[]): CommandLine {
  const requires: string[] = [];
  let app: string | undefined;
  let inspectPort: number | null = null;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    if (arg === '-r' || arg === '--require') requires.push(args[++index] ?? '');
    else if (arg.startsWith('--inspect')) inspectPort = Number(arg.split('=')[1] ?? 0);
    else if (!arg.startsWith('-')) app ??= arg;
  }
  return { app, requires, inspectPort, noSandbox: args.includes('--no-sandbox') };
}

/** Node cannot read inside an archive: a packaged app is unpacked first, beside nothing that it could find by chance. */
function unpack(archive: string): string {
  const { extractAll } = createRequire(import.meta.url)('@electron/asar') as {
    extractAll(archive: string, to: string): void;
  };
  const folder = mkdtempSync(join(tmpdir(), 'electron-stand-in-app-'));
  extractAll(archive, folder);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function findMain(target: string): { readonly appPath: string; readonly main: string } {
  if (!statSync(target).isDirectory()) return { appPath: dirname(target), main: target };
  const manifest = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')) as { main?: string };
  return { appPath: target, main: resolve(target, manifest.main ?? 'index.js') };
}

const MODULE_NAMES = new Set(['electron', 'electron/main', 'electron/common']);

/** Makes `require('electron')` and `import 'electron'` of this process mean the stand-in. */
function installModule(electron: StandIn['electron']): void {
  const loader = Module as unknown as { _load(request: string, ...rest: unknown[]): unknown };
  const load = loader._load;
  loader._load = (request, ...rest) => (MODULE_NAMES.has(request) ? electron : load(request, ...rest));
  (globalThis as Record<string, unknown>).__electronStandIn = electron;
  const names = Object.keys(electron).map((name) => `export const ${name} = electron.${name};`);
  const source = `const electron = globalThis.__electronStandIn; export default electron; ${names.join(' ')}`;
  const url = `data:text/javascript,${encodeURIComponent(source)}`;
  registerHooks({
    resolve: (specifier, context, next) =>
      MODULE_NAMES.has(specifier) ? { url, shortCircuit: true, format: 'module' } : next(specifier, context),
  });
}

async function start(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--version') || args.includes('-v')) {
    process.stdout.write('v0.0.0-stand-in\n');
    return;
  }
  const { app, requires, inspectPort, noSandbox } = parseCommandLine(args);
  process.argv = [process.execPath, ...args];
  if (inspectPort !== null) inspector.open(inspectPort, '127.0.0.1');
  // The launcher of a packaged app names the archive beside it, as Electron finds resources/app.asar.
  const archive = process.env.STAND_IN_ARCHIVE;
  const { appPath, main } = findMain(archive ? unpack(archive) : resolve(app ?? '.'));
  if (!existsSync(main)) throw new Error(`no main script at ${main}; build the app first`);
  Object.defineProperty(process, 'type', { value: 'browser' });
  Object.defineProperty(process, 'resourcesPath', { value: archive ? dirname(archive) : join(appPath, 'resources') });
  Object.assign(process.versions, { electron: '45.0.0-stand-in' });
  const standIn: StandIn = createStandIn({
    backend: createChromiumBackend({
      executable: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
      headed: Boolean(process.env.DISPLAY) && process.env.STAND_IN_HEADLESS !== '1',
      schemes: () => standIn.control.privileged.keys(),
      // Playwright waits for this line, which Electron's own Chromium prints.
      onEndpoint: (url) => void process.stderr.write(`\nDevTools listening on ${url}\n`),
    }),
    appPath,
    isPackaged: archive !== undefined,
    onExit: (code) => process.exit(code),
  });
  installModule(standIn.electron);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => standIn.electron.app.quit());
  const require = createRequire(join(process.cwd(), 'index.js'));
  for (const request of requires) require(request);
  await import(pathToFileURL(main).href);
  await standIn.launch({ noSandbox });
}

await start().catch((error: unknown) => {
  process.stderr.write(`electron stand-in: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
