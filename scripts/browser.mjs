import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const known = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/**
 * A Chromium for the end-to-end tests: the one named by CHROMIUM_PATH, the system's, else Debian's package when
 * root, else Playwright's own download. Logs what it did.
 * @returns {string | null} its path; null means Playwright's own
 */
export function findBrowser() {
  const named = process.env.CHROMIUM_PATH;
  const found = [...(named ? [named] : []), ...known].find((path) => existsSync(path));
  if (found) return print(`browser: using ${found}`, found);
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    print('browser: none found; installing Debian package chromium');
    execFileSync('apt-get', ['update', '-qq'], { stdio: ['ignore', 'ignore', 'inherit'] });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return print('browser: using /usr/bin/chromium', '/usr/bin/chromium');
  }
  print('browser: none found; asking Playwright to download its own (set CHROMIUM_PATH to use another)');
  const installed = spawnSync('npx', ['playwright', 'install', 'chromium'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (installed.status !== 0)
    throw new Error('no browser could be found or installed; install Chromium and set CHROMIUM_PATH');
  return null;
}

/** @param {string} line @param {string} [value] */
function print(line, value = '') {
  process.stdout.write(`${line}\n`);
  return value;
}
