// `npm test`: builds, runs every test by tiers, prints the time of each, and ends with one line that counts them all.
// `npm run test:quick`: the first tier alone, without a build.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from './browser.mjs';

const root = join(import.meta.dirname, '..');
const results = join(root, '.cache', 'results');
/** Walks at a time, beside three and more files of the product's tests. */
const walkers = Math.max(2, availableParallelism() - 1);
const print = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/** @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} [env] @returns {Promise<number>} */
function run(command, args, env = {}) {
  const windows = process.platform === 'win32';
  const options = { cwd: root, stdio: /** @type {'inherit'} */ ('inherit'), shell: windows };
  const child = spawn(command, args, { ...options, env: { ...process.env, ...env } });
  running.add(child);
  return new Promise((resolve) => {
    child.on('error', () => resolve(1));
    child.on('close', (status) => {
      running.delete(child);
      resolve(status ?? 1);
    });
  });
}

/** Without a build the tests are of no use. @returns {never} */
function giveUp() {
  for (const child of running) child.kill();
  process.exit(1);
}

/** @param {string} file @returns {any} */
const read = (file) => {
  try {
    return JSON.parse(readFileSync(join(results, file), 'utf8'));
  } catch {
    return null; // The runner died before it could write: its exit status shows it.
  }
};

/** @typedef {{name: string, passed: number, failed: number, skipped: number, seconds: number, failures: string[]}} Tier */

/** @param {string} name @param {() => Promise<Omit<Tier, 'name' | 'seconds'>>} work @returns {Promise<Tier>} */
async function tier(name, work) {
  const from = performance.now();
  return { name, ...(await work()), seconds: Math.round((performance.now() - from) / 1000) };
}

/** A runner that failed without a failed test (a crash, a broken file) still counts as one failure. */
const failedOf = (/** @type {number} */ counted, /** @type {number} */ status) =>
  Math.max(counted, status === 0 ? 0 : 1);

/** @param {string} name @param {string[]} projects */
const unitTier = (name, projects) =>
  tier(name, async () => {
    const file = `${name}.json`;
    const args = ['vitest', 'run', ...projects.flatMap((project) => ['--project', project])];
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${join(results, file)}`];
    const status = await run('npx', [...args, ...reporters], env);
    const found = read(file);
    return {
      passed: found?.numPassedTests ?? 0,
      failed: failedOf(found?.numFailedTests ?? 0, status),
      skipped: found?.numPendingTests ?? 0,
      failures: (found?.testResults ?? []).flatMap(failuresOf),
    };
  });

/** @param {any} file @returns {string[]} */
function failuresOf(file) {
  const failed = file.assertionResults.filter((/** @type {any} */ test) => test.status === 'failed');
  const lines = failed.map((/** @type {any} */ test) =>
    failure(`${file.name}: ${test.fullName}`, test.failureMessages?.[0]),
  );
  return file.status === 'failed' && failed.length === 0 ? [failure(file.name, file.message)] : lines;
}

/** @param {any} suite @returns {string[]} */
function failedWalks({ suites = [], specs = [], file }) {
  const failed = specs.filter((/** @type {any} */ { ok }) => !ok);
  const reason = (/** @type {any} */ { tests }) => tests[0]?.results.at(-1)?.error?.message;
  return [
    ...suites.flatMap(failedWalks),
    ...failed.map((/** @type {any} */ spec) => failure(`test/end-to-end/${file}: ${spec.title}`, reason(spec))),
  ];
}

/** One line and the head of its reason: of a long run often only the last thousands of characters are kept. */
const failure = (/** @type {string} */ name, reason = '') =>
  `failed: ${name.replace(`${root}/`, '')}\n${reason.split('\n').slice(0, 3).join('\n').slice(0, 250)}`;

const browserTier = () =>
  tier('browser', async () => {
    const output = { PLAYWRIGHT_JSON_OUTPUT_NAME: join(results, 'browser.json') };
    const args = ['playwright', 'test', '--workers', String(walkers), '--reporter=list,json'];
    const status = await run('npx', args, { ...env, ...output });
    const found = read('browser.json');
    const stats = found?.stats;
    return {
      passed: (stats?.expected ?? 0) + (stats?.flaky ?? 0),
      failed: failedOf(stats?.unexpected ?? 0, status),
      skipped: stats?.skipped ?? 0,
      failures: (found?.suites ?? []).flatMap(failedWalks),
    };
  });

/** @returns {Promise<number>} how long it took, seconds */
async function build() {
  const from = performance.now();
  if ((await run('npx', ['electron-vite', 'build', '--logLevel', 'warn'], env)) !== 0) giveUp();
  if ((await run('node', ['scripts/build-viewer.mjs'], env)) !== 0) giveUp();
  // Where Electron is not available, its packaging can still be checked: tests look at the archive.
  if (process.platform === 'linux') await run('npm', ['run', '--silent', 'package'], env);
  return Math.round((performance.now() - from) / 1000);
}

/** The quick tests need no build: they run while it is made. Walks run beside the product's tests: each waits where the other works. */
async function all() {
  const [builtIn, quickTier] = await Promise.all([build(), unitTier('quick', quick)]);
  const beside = await Promise.all([unitTier('product', ['product', 'isolated']), browserTier()]);
  return { builtIn, tiers: [quickTier, ...beside, await unitTier('alone', ['alone'])] };
}

rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });
const isQuick = process.argv.includes('--quick');
const browser = isQuick ? null : findBrowser();
const env = { FAULTLINE_BUILT: '1', ...(browser === null ? {} : { CHROMIUM_PATH: browser }) };
const began = performance.now();
const quick = ['quick', 'widgets'];
const { builtIn, tiers } = isQuick ? { builtIn: 0, tiers: [await unitTier('quick', quick)] } : await all();

for (const { failures } of tiers) for (const line of failures) print(line);
if (!isQuick) print(`build and package, beside tier quick: ${builtIn} s`);
for (const { name, passed, failed, skipped, seconds } of tiers)
  print(`tier ${name}: ${seconds} s, ${passed} ok, ${failed} not ok, ${skipped} skipped`);
/** @param {'passed' | 'failed' | 'skipped'} key */
const sum = (key) => tiers.reduce((all, one) => all + one[key], 0);
print(`everything: ${Math.round((performance.now() - began) / 1000)} s`);
print(`${sum('skipped') > 0 ? `skipped: ${sum('skipped')}\n` : ''}${sum('passed')} passed, ${sum('failed')} failed`);
process.exit(sum('failed') === 0 ? 0 : 1);
