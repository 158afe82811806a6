// Draws packaging/resources/icon.svg in every size and form that installers want: `node scripts/icons.mjs`. The pictures are committed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';

const resources = join(import.meta.dirname, '../packaging/resources');
const svg = readFileSync(join(resources, 'icon.svg'), 'utf8');
const SIZES = [16, 32, 48, 64, 128, 256, 512, 1024];

const executablePath = process.env.CHROMIUM_PATH;
const browser = await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] });
/** @type {Map<number, Buffer>} */
const pictures = new Map();
for (const size of SIZES) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>*{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`);
  pictures.set(size, await page.screenshot({ omitBackground: true }));
  await page.close();
}
await browser.close();

const picture = (/** @type {number} */ size) => pictures.get(size) ?? Buffer.alloc(0);
mkdirSync(join(resources, 'icons'), { recursive: true });
for (const [size, png] of pictures) writeFileSync(join(resources, `icons/${size}x${size}.png`), png);

/** Windows: a table of contents, then PNG files. */
function ico(/** @type {number[]} */ sizes) {
  const head = Buffer.alloc(6 + 16 * sizes.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(sizes.length, 4);
  let at = head.length;
  for (const [i, size] of sizes.entries()) {
    const entry = 6 + 16 * i;
    head.writeUInt8(size % 256, entry);
    head.writeUInt8(size % 256, entry + 1);
    head.writeUInt16LE(1, entry + 4);
    head.writeUInt16LE(32, entry + 6);
    head.writeUInt32LE(picture(size).length, entry + 8);
    head.writeUInt32LE(at, entry + 12);
    at += picture(size).length;
  }
  return Buffer.concat([head, ...sizes.map(picture)]);
}

/** macOS: PNG files, each behind its type and length. */
function icns(/** @type {[string, number][]} */ types) {
  const parts = types.map(([type, size]) => {
    const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
    head.writeUInt32BE(8 + picture(size).length, 4);
    return Buffer.concat([head, picture(size)]);
  });
  const body = Buffer.concat(parts);
  const head = Buffer.from('icns\0\0\0\0', 'latin1');
  head.writeUInt32BE(8 + body.length, 4);
  return Buffer.concat([head, body]);
}

writeFileSync(join(resources, 'icon.ico'), ico([16, 32, 48, 64, 128, 256]));
writeFileSync(
  join(resources, 'icon.icns'),
  icns([
    ['icp4', 16],
    ['icp5', 32],
    ['icp6', 64],
    ['ic07', 128],
    ['ic08', 256],
    ['ic09', 512],
    ['ic10', 1024],
  ]),
);
process.stdout.write(`${resources}: ${SIZES.length} pictures, icon.ico, icon.icns\n`);
