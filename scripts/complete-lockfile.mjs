// Run after every `npm install`. npm leaves optional platform packages out of the lock file when the registry at hand
// does not serve them, and `npm ci` then refuses the file everywhere. This names each of them with its exact version
// and platform, so that every platform installs its own and skips the others, and asks the registry for their hash and licence.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, '../package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));

const SYSTEMS = ['darwin', 'linux', 'win32', 'android', 'freebsd', 'openbsd', 'netbsd', 'sunos', 'aix', 'openharmony'];
const PROCESSORS = ['arm64', 'x64', 'ia32', 'arm', 'riscv64', 'ppc64', 's390x', 'loong64', 'mips64el', 'wasm32'];

/** @param {string} name */
function platformOf(name) {
  const words = name.split(/[-/]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.some((word) => word === 'gnu')
      ? ['glibc']
      : [];
  return {
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(os.length > 0 ? { os } : {}),
    ...(libc.length > 0 && os.includes('linux') ? { libc } : {}),
  };
}

/** Where Node would look for `name` from a package at `path`, nearest first. @param {string} path @param {string} name */
function places(path, name) {
  const parts = path === '' ? [''] : path.split('/node_modules/');
  return parts
    .map((_, i) => `${parts.slice(0, parts.length - i).join('/node_modules/')}/node_modules/${name}`)
    .concat(`node_modules/${name}`);
}

const added = [];
// The shallow ones first: they have the right to the top of the tree.
const depth = ([path]) => path.split('node_modules/').length;
for (const [path, entry] of Object.entries(lock.packages).sort((a, b) => depth(a) - depth(b))) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const found = places(path, name).find((place) => lock.packages[place]);
    const known = found && lock.packages[found].version;
    if (known !== undefined && (known === version || !/^\d/.test(version))) continue;
    const free = lock.packages[`node_modules/${name}`] === undefined;
    // Another version stands at the top: this one belongs beside its own parent.
    const place = free
      ? `node_modules/${name}`
      : `${path.slice(0, path.lastIndexOf('node_modules/'))}node_modules/${name}`;
    lock.packages[place] = {
      version: version.replace(/^[~^]/, ''),
      ...platformOf(name),
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
    };
    added.push(place);
  }
}
/** What the registry at hand states of a package that the lock file has no hash of; `{}`: it has no such package. @param {string} name */
function statedOf(name) {
  const { stdout, status } = spawnSync('npm', ['view', name, 'dist.integrity', 'license', '--json'], {
    encoding: 'utf8',
  });
  if (status !== 0 || stdout.trim() === '') return {};
  const { 'dist.integrity': integrity, license } = JSON.parse(stdout);
  return integrity === undefined ? {} : { integrity, ...(license === undefined ? {} : { license }) };
}

const unverified = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || entry.link || entry.integrity) continue;
  const { version, ...rest } = entry;
  const stated = statedOf(`${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`);
  lock.packages[path] = { version, ...stated, ...rest };
  if (stated.integrity === undefined) unverified.push(path);
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(
  added.length === 0 ? 'the lock file names every platform\n' : `added ${added.length}:\n${added.join('\n')}\n`,
);
if (unverified.length > 0)
  process.stdout.write(`without a hash, because the registry has none:\n${unverified.join('\n')}\n`);
