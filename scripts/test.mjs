// `npm test`: builds, runs every test, and ends with one line that counts them all.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser } from './browser.mjs';

const root = join(import.meta.dirname, '..');
const results = join(root, '.cache', 'results');
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

/** @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
function run(command, args, env = {}) {
  const windows = process.platform === 'win32';
  return (
    spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: windows, env: { ...process.env, ...env } }).status ??
    1
  );
}

/** @param {string} file @returns {any} */
const read = (file) => {
  try {
    return JSON.parse(readFileSync(join(results, file), 'utf8'));
  } catch {
    return null; // The runner died before it could write: its exit status tells.
  }
};

/** @param {string} name @param {string} [why] */
function tellFailed(name, why = '') {
  process.stdout.write(`failed: ${name.replace(`${root}/`, '')}\n${why.split('\n').slice(0, 12).join('\n')}\n`);
}

const browser = findBrowser();
const env = { FAULTLINE_BUILT: '1', ...(browser === null ? {} : { CHROMIUM_PATH: browser }) };
if (run('npx', ['electron-vite', 'build', '--logLevel', 'warn'], env) !== 0) process.exit(1);
if (run('node', ['scripts/build-viewer.mjs'], env) !== 0) process.exit(1);

// Where Electron cannot be had, its packaging can still be checked: the archive is made before the tests look at it.
if (process.platform === 'linux') run('npm', ['run', '--silent', 'package'], env);

const unit = run(
  'npx',
  ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${join(results, 'unit.json')}`],
  env,
);
const unitResult = read('unit.json');
const browserRun = run('npx', ['playwright', 'test', '--reporter=list,json'], {
  ...env,
  PLAYWRIGHT_JSON_OUTPUT_NAME: join(results, 'browser.json'),
});
const browserStats = read('browser.json')?.stats;

const passed = (unitResult?.numPassedTests ?? 0) + (browserStats?.expected ?? 0) + (browserStats?.flaky ?? 0);
const counted = (unitResult?.numFailedTests ?? 0) + (browserStats?.unexpected ?? 0);
// A runner that failed without a failed test (a crash, a broken file) still counts as one failure.
const failed = Math.max(counted, (unit !== 0 ? 1 : 0) + (browserRun !== 0 ? 1 : 0));
// Named last, with why: of a long run often only its end is kept.
for (const file of unitResult?.testResults ?? []) {
  const why = file.assertionResults.filter((/** @type {any} */ test) => test.status === 'failed');
  for (const test of why) tellFailed(`${file.name}: ${test.fullName}`, test.failureMessages?.[0]);
  if (file.status === 'failed' && why.length === 0) tellFailed(file.name, file.message);
}
const skipped = (unitResult?.numPendingTests ?? 0) + (browserStats?.skipped ?? 0);
process.stdout.write(`${skipped > 0 ? `skipped: ${skipped}\n` : ''}${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
