// `npm start`: the desktop app on the demo incident; where no window can be had, the same app on a loopback address.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const cli = join(root, 'out/main/cli.js');
const demo = join(root, '.cache/demo');
const demoCase = join(demo, 'demo.faultline');
const say = (line) => process.stdout.write(`${line}\n`);

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
  say('fetching the Electron binary (once) ...');
  spawnSync(process.execPath, [join(home, 'install.js')], { cwd: root, stdio: 'ignore', timeout: 120_000 });
  return locate();
}

say('building ...');
must('npx', ['electron-vite', 'build', '--logLevel', 'warn']);
if (!existsSync(join(demoCase, 'case.duckdb'))) {
  say('making the demo incident ...');
  must(process.execPath, [cli, 'demo', '--dir', demo]);
}
const reason = noWindow();
const child =
  reason === null
    ? spawn(electronBinary(), ['.'], { cwd: root, stdio: 'inherit', env: { ...process.env, FAULTLINE_CASE: demoCase } })
    : spawn(process.execPath, [cli, 'serve', demoCase], { cwd: root, stdio: 'inherit' });
if (reason !== null) say(`${reason}: serving the same app to a browser on this machine instead`);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
