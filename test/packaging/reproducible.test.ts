import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { faultline } from '../support/command-line.ts';

const root = join(import.meta.dirname, '../..');

/** Hash of each file by path. */
const hashes = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /^(main|preload|renderer)\W/.test(path) && statSync(join(folder, path)).isFile())
      .sort()
      .map((path) => [
        path,
        createHash('sha256')
          .update(readFileSync(join(folder, path)))
          .digest('hex'),
      ]),
  );

test.skipIf(process.platform !== 'linux')(
  'a build of these sources in another folder has the same bytes as the one in out/',
  async () => {
    // Beside the packages: they are linked, not copied.
    const folder = join(root, '.cache/other-build');
    rmSync(folder, { recursive: true, force: true });
    const listed = ['src', 'package.json', 'electron.vite.config.ts', '*tsconfig*.json'];
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...listed], {
      cwd: root,
      encoding: 'utf8',
    });
    for (const file of files
      .trim()
      .split('\n')
      .filter((one) => existsSync(join(root, one)))) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(root, file), join(folder, file));
    }
    // Through a link, packages would lie outside of the folder.
    execFileSync('cp', ['-al', join(root, 'node_modules'), join(folder, 'node_modules')]);
    const [, commit = ''] = /\(commit (.+)\)/.exec((await faultline('--version')).out) ?? [];
    execFileSync(
      process.execPath,
      [join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'build', '--logLevel', 'error'],
      {
        cwd: folder,
        env: { ...process.env, FAULTLINE_COMMIT: commit },
      },
    );
    const built = hashes(join(root, 'out'));
    expect(Object.keys(built).length).toBeGreaterThan(100);
    expect(hashes(join(folder, 'out'))).toEqual(built);
    rmSync(folder, { recursive: true });
  },
);
