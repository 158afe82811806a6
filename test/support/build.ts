import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Tests run the built command line, worker and renderer: never a stale one. */
export default function build(): void {
  if (process.env.FAULTLINE_BUILT === '1') return;
  const root = join(import.meta.dirname, '../..');
  execFileSync('npx', ['electron-vite', 'build', '--logLevel', 'warn'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
}
