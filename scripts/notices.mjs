// `npm run notices`: third-party notices of what is shipped, into .cache/THIRD-PARTY-NOTICES.txt. The packages are those
// that a build with source maps names, and the native ones that are packed beside it; equal texts are printed once.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
export const noticesFile = join(root, '.cache/THIRD-PARTY-NOTICES.txt');
/** Names and versions of the same packages, for the bill of materials. */
export const shippedFile = join(root, '.cache/shipped.json');
const outDir = join(root, '.cache/notices');

const builds = [
  ['electron-vite', 'build', '--outDir', outDir],
  ['vite', 'build', '--config', 'viewer.vite.config.ts', '--outDir', join(outDir, 'viewer')],
];

/** Folders of packages whose code is in the app, the command line or the viewer. */
function bundledPackages() {
  for (const build of builds) {
    const args = [...build, '--sourcemap', '--logLevel', 'error'];
    const { status } = spawnSync('npx', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) throw new Error('the build failed');
  }
  const found = new Set();
  for (const file of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.map')) continue;
    for (const source of JSON.parse(readFileSync(join(outDir, file), 'utf8')).sources) {
      const folder = packageFolder(source);
      if (folder !== null) found.add(folder);
    }
  }
  return found;
}

/** Fonts come in by style sheets, which no source map names. */
function stylePackages() {
  const entry = readFileSync(join(root, 'src/renderer/main.tsx'), 'utf8');
  return [...entry.matchAll(/^import '((?:@[^/']+\/)?[^/'.]+)\/[^']+\.css'/gm)].map((match) =>
    join(root, 'node_modules', match[1] ?? ''),
  );
}

/**
 * The innermost package of a source; the paths of workers begin elsewhere, but all lead into this node_modules.
 * @param {string} source @returns {string | null}
 */
function packageFolder(source) {
  const found = /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(source.replaceAll('\\', '/'));
  const folder = found && join(root, found[0]);
  return folder && existsSync(join(folder, 'package.json')) ? folder : null;
}

/** @param {string} folder */
function readPackage(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const text = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim())
    .join('\n\n');
  return { name, version, license: typeof license === 'string' ? license : 'unknown', text };
}

/** What lies beside the build in every product: the native packages and all that they need, as far as this system has it. */
function nativePackages() {
  const found = new Set();
  const add = (/** @type {string} */ name) => {
    const folder = join(root, 'node_modules', name);
    if (found.has(folder) || !existsSync(join(folder, 'package.json'))) return;
    found.add(folder);
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) add(needed);
  };
  for (const name of Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies)) add(name);
  return found;
}

/** Everything shipped, sorted by name: `{name, version, license, text}`, `text` empty where the package has no file of it. */
export function shippedPackages() {
  const folders = new Set([...bundledPackages(), ...stylePackages(), ...nativePackages()]);
  const known = new Map([...folders].map(readPackage).map((one) => [`${one.name}@${one.version}`, one]));
  return [...known.keys()].sort().map((key) => known.get(key));
}

/** @param {ReturnType<typeof shippedPackages>} packages */
export function noticesText(packages) {
  const byText = new Map();
  for (const one of packages) byText.set(one.text, [...(byText.get(one.text) ?? []), one]);
  const parts = [...byText].map(([text, of]) => {
    const names = of.map(({ name, version, license }) => `${name} ${version} (${license})`).join('\n');
    return `${names}\n\n${text === '' ? 'The package contains no license file; its license is the one named above.' : text}`;
  });
  const rule = `\n\n${'-'.repeat(78)}\n\n`;
  return `Faultline contains the following third-party software.${rule}${parts.join(rule)}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const packages = shippedPackages();
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(noticesFile, noticesText(packages));
  writeFileSync(shippedFile, JSON.stringify(packages.map(({ name, version }) => `${name}@${version}`)));
  process.stdout.write(`${packages.length} packages: ${noticesFile}\n`);
}
