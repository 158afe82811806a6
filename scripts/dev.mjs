// `npm run dev`: the window in a browser with hot reload, on the demo incident or on the case that is named.
// Vite serves the window's sources; a host on another port answers its calls and restarts when main or core changes.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { createServer as createNetServer } from 'node:net';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { createServer } from 'vite';

const root = join(import.meta.dirname, '..');
const cli = join(root, 'out/main/cli.js');
const demo = join(root, '.cache/demo');
const print = (line) => process.stdout.write(`${line}\n`);

/** What the window calls on its host: see src/model/contract/wire.ts. */
const CALLS = ['/ws', '/upload', '/download'];
const BUILD = ['electron-vite', 'build', '--logLevel', 'warn'];
/** An editor saves several files one after the other. */
const SETTLED_MS = 300;

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createNetServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

print('building ...');
run('npx', BUILD);
let opened = process.argv[2];
if (opened === undefined) {
  opened = join(demo, 'demo.faultline');
  if (!existsSync(join(opened, 'case.duckdb'))) run(process.execPath, [cli, 'demo', '--dir', demo]);
}

const port = await freePort();
const host = `127.0.0.1:${port}`;
/** Changed in place: the proxy reads it at each request. */
const headers = { host, origin: `http://${host}`, cookie: '' };
let child;

/** Starts the host and signs in as a browser would. */
async function startHost() {
  child = spawn(process.execPath, [cli, 'serve', opened, '--port', String(port)], { cwd: root });
  // Its own address is of no use here.
  child.stderr.on('data', (bytes) => /Ctrl-C ends it/.test(String(bytes)) || process.stderr.write(bytes));
  const address = await new Promise((resolve, reject) => {
    child.stdout.on('data', (bytes) => {
      const found = /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/.exec(String(bytes));
      if (found) resolve(found[0]);
    });
    child.once('exit', () => reject(new Error('the host ended')));
  });
  const { headers: answer } = await fetch(address, { redirect: 'manual' });
  headers.cookie = answer.get('set-cookie')?.split(';')[0] ?? '';
}

/** Builds and starts again; a source that does not build leaves the host as it is. */
async function restartHost() {
  const { status } = spawnSync('npx', BUILD, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) return;
  const { promise, resolve } = Promise.withResolvers();
  child.once('exit', resolve);
  child.kill();
  await promise;
  await startHost();
  print('the host runs the new build');
}

await startHost();
let settling;
let restarting = Promise.resolve();
// Vite reloads what the window is made of; everything else is built into the host.
watch(join(root, 'src'), { recursive: true }, (_, file) => {
  if (file === null || /^(renderer|viewer)[\\/]/.test(file)) return;
  clearTimeout(settling);
  settling = setTimeout(() => {
    restarting = restarting.then(restartHost).catch((error) => print(String(error)));
  }, SETTLED_MS);
});

const vite = await createServer({
  configFile: false,
  root: join(root, 'src/renderer'),
  cacheDir: join(root, '.cache/vite'),
  plugins: [react()],
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      CALLS.map((path) => [path, { target: `http://${host}`, ws: path === '/ws', changeOrigin: true, headers }]),
    ),
  },
});
await vite.listen();
print(`open ${vite.resolvedUrls?.local[0] ?? ''}`);

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, async () => {
    child.kill();
    await vite.close();
    process.exit(0);
  });
