// `npm run build:viewer`: the browser viewer as a folder of files for any web server, and how large they are.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
await build({ configFile: join(root, 'viewer.vite.config.ts'), logLevel: 'warn' });

const folder = join(root, 'out', 'viewer');
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const mebibytes = (/** @type {number} */ bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
const sizes = files.map((file) => ({
  file,
  bytes: statSync(file).size,
  packed: gzipSync(readFileSync(file), { level: 6 }).length,
}));
const sum = (/** @type {'bytes' | 'packed'} */ key) => sizes.reduce((all, size) => all + size[key], 0);
process.stdout.write(
  `${relative(process.cwd(), folder)}: ${files.length} files, ${mebibytes(sum('bytes'))}, ${mebibytes(sum('packed'))} as a server that packs (gzip) sends them\n`,
);
