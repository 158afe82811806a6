// `npm run release`: after the build, everything that is handed out, into dist/release, with its bill of materials, provenance and checksums.
// FAULTLINE_SIGN_KEY: file of an Ed25519 key (PEM) that signs the checksums. FAULTLINE_DEB_COMPRESSION=none: quick, for trials. docs/release.md has the steps around it.
import { execFileSync } from 'node:child_process';
import { createPrivateKey, sign } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { stageCommandPackage } from '../packaging/command-package.mjs';
import { makeDeb } from '../packaging/make-deb.mjs';
import { provenance, sha256Of } from '../packaging/provenance.mjs';
import { billOfMaterials } from '../packaging/sbom.mjs';
import { sectionOf } from './changelog.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'dist/release');
/** What electron-builder leaves in dist on each system. */
const INSTALLER = /^faultline-desktop-.*\.(AppImage|deb|rpm|dmg|zip|exe)$/;
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const commit = git('rev-parse', 'HEAD');
const epoch = git('log', '-1', '--format=%ct');

if (git('status', '--porcelain', '--untracked-files=no') !== '' && !process.argv.includes('--changed')) {
  process.stderr.write(
    'there are changes that no commit has: a release is made of a commit (--changed: for a trial)\n',
  );
  process.exit(1);
}

const isTagged = git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`);
if (isTagged && sectionOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version) === null) {
  process.stderr.write(`CHANGELOG.md has no section ${version}: npm run changelog -- --write\n`);
  process.exit(1);
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const staged = stageCommandPackage();
execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: staged });
if (process.platform === 'linux' && process.arch === 'x64') {
  const { file, kibibytes, parts } = makeDeb(folder, staged, epoch, process.env.FAULTLINE_DEB_COMPRESSION);
  process.stdout.write(`${basename(file)}: ${Math.round(kibibytes / 1024)} MiB installed\n`);
  for (const { part, bytes } of parts)
    process.stdout.write(`  ${(bytes / 2 ** 20).toFixed(1).padStart(6)} MiB ${part}\n`);
}
for (const file of readdirSync(join(root, 'dist')).filter((one) => INSTALLER.test(one)))
  cpSync(join(root, 'dist', file), join(folder, file));

const write = (/** @type {string} */ file, /** @type {string | Uint8Array} */ content) =>
  writeFileSync(join(folder, file), content);
const made = () => readdirSync(folder).sort();
write(
  `${name}-${version}.cdx.json`,
  billOfMaterials(JSON.parse(readFileSync(join(root, '.cache/shipped.json'), 'utf8')), epoch),
);
cpSync(join(root, '.cache/THIRD-PARTY-NOTICES.txt'), join(folder, 'THIRD-PARTY-NOTICES.txt'));
const repository = process.env.FAULTLINE_REPOSITORY ?? 'https://example.org/faultline.git';
const builder = process.env.FAULTLINE_BUILDER ?? 'https://example.org/faultline/builders/by-hand';
const files = made().map((file) => join(folder, file));
write(`${name}-${version}.intoto.jsonl`, provenance({ files, commit, epoch, repository, builder }));
const sums = made().map((file) => `${sha256Of(join(folder, file))}  ${file}\n`);
write('SHA256SUMS', sums.join(''));
const key = process.env.FAULTLINE_SIGN_KEY;
if (key) write('SHA256SUMS.sig', sign(null, Buffer.from(sums.join('')), createPrivateKey(readFileSync(key))));
process.stdout.write(
  `${sums.join('')}${key ? 'signed: SHA256SUMS.sig' : 'not signed: FAULTLINE_SIGN_KEY names no key'}\n`,
);
