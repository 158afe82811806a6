// `npm start`: the desktop app on the demo incident; where no window can be had, the same app on a loopback address.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const cli = join(root, 'out/main/cli.js');
const demo = join(root, '.cache/demo');
const demoCase = join(demo, 'demo.faultline');
const WINDOW_FAILS_WITHIN_MS = 20_000;
const print = (line) => process.stdout.write(`${line}\n`);

function must(command, args) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** Why no window can be shown here, or null. */
function noWindow() {
  if (process.argv.includes('--web')) return '--web was given';
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return 'no display here';
  return electronBinary() === null ? 'the Electron binary could not be had' : null;
}

/** The Electron package holds only a downloader; its binary is fetched on first use. */
function electronBinary() {
  const home = join(root, 'node_modules/electron');
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  const locate = () => {
    const name = existsSync(join(home, 'path.txt')) ? readFileSync(join(home, 'path.txt'), 'utf8') : 'electron';
    const path = join(override ?? join(home, 'dist'), name);
    return existsSync(path) ? path : null;
  };
  const present = locate();
  if (present || override) return present;
  print('fetching the Electron binary (once) ...');
  spawnSync(process.execPath, [join(home, 'install.js')], { cwd: root, stdio: 'ignore', timeout: 120_000 });
  return locate();
}

print('building ...');
must('npx', ['electron-vite', 'build', '--logLevel', 'warn']);
if (!existsSync(join(demoCase, 'case.duckdb'))) {
  print('making the demo incident ...');
  must(process.execPath, [cli, 'demo', '--dir', demo]);
}
const web = (reason) => {
  print(`${reason}: serving the same app to a browser on this machine instead`);
  return run(process.execPath, [cli, 'serve', demoCase]);
};

/** The child in front; signals go to it, and its end is ours. */
function run(command, args, env = {}, onFailure = null) {
  const started = Date.now();
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  const pass = (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, pass);
  const end = (code, signal) => {
    for (const name of ['SIGINT', 'SIGTERM']) process.off(name, pass);
    // A window that fails at once (no sandbox for root, a broken display) must not end the investigation.
    if (onFailure && code !== 0 && !signal && Date.now() - started < WINDOW_FAILS_WITHIN_MS) onFailure();
    else process.exit(code ?? (signal ? 1 : 0));
  };
  child.on('error', () => end(1, null));
  child.on('exit', end);
}

const reason = noWindow();
if (reason !== null) web(reason);
else run(electronBinary(), ['.'], { FAULTLINE_CASE: demoCase }, () => web('the window could not be opened'));
