// The command line and the web host as an npm package, staged in dist/npm. Without Electron: it brings Node's own place of it.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Everything else is in the build. */
const NATIVE = ['@duckdb/node-api', '@napi-rs/keyring', 'koffi'];

/** The manifest that is published: what runs it, and nothing of how it is made. */
export function commandManifest() {
  const { name, version, description, license, author, homepage, type, bin } = manifest;
  const dependencies = Object.fromEntries(NATIVE.map((one) => [one, manifest.dependencies[one]]));
  return {
    name,
    version,
    description,
    license,
    author,
    homepage,
    type,
    bin,
    engines: { node: '>=22.18' },
    dependencies,
  };
}

/** @returns the folder, ready for `npm pack` */
export function stageCommandPackage() {
  const folder = join(root, 'dist/npm');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'out/main'), { recursive: true });
  // The main script of the desktop app stays out.
  for (const entry of readdirSync(join(root, 'out/main')).filter((one) => one !== 'index.js'))
    cpSync(join(root, 'out/main', entry), join(folder, 'out/main', entry), { recursive: true });
  cpSync(join(root, 'out/renderer'), join(folder, 'out/renderer'), { recursive: true });
  cpSync(join(root, 'corpus'), join(folder, 'corpus'), { recursive: true });
  cpSync(join(root, '.cache/THIRD-PARTY-NOTICES.txt'), join(folder, 'THIRD-PARTY-NOTICES.txt'));
  for (const page of ['LICENSE', 'docs/command-line.md']) cpSync(join(root, page), join(folder, page));
  writeFileSync(join(folder, 'README.md'), readFileSync(join(root, 'packaging/command-readme.md')));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(commandManifest(), null, 2)}\n`);
  return folder;
}
