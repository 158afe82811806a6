// Writes packaging/dist: an "unpacked Electron" that holds nothing, so that electron-builder can be run, and its
// configuration, file list and fuses be checked, on machines that cannot download Electron. What it packs starts only
// on the stand-in of test/electron. A release is made without this: see docs/security.md.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPackage } from '@electron/asar';

const dist = join(import.meta.dirname, 'dist');
const { version } = createRequire(import.meta.url)('electron/package.json');

/** The marker that flips are written behind, then: version 1, nine fuses, Electron's defaults (0 off, 1 on). */
const FUSE_WIRE = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\u0001\u0009101100011';

const LAUNCHER = `#!/bin/sh
# Not Electron: starts the stand-in named by STAND_IN_HOME on the archive beside this file.
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
STAND_IN_ARCHIVE="$here/resources/app.asar" exec node "\${STAND_IN_HOME:?names the folder test/electron}/main.ts" "$@"
exit 1
${FUSE_WIRE}
`;

const FILLERS = [
  'LICENSE',
  'LICENSES.chromium.html',
  'chrome-sandbox',
  'chrome_100_percent.pak',
  'chrome_crashpad_handler',
];
const MORE_FILLERS = ['icudtl.dat', 'libffmpeg.so', 'locales/en-US.pak', 'resources.pak', 'v8_context_snapshot.bin'];

rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, 'locales'), { recursive: true });
mkdirSync(join(dist, 'resources'));
for (const name of [...FILLERS, ...MORE_FILLERS]) writeFileSync(join(dist, name), 'filler\n');
writeFileSync(join(dist, 'version'), version);
writeFileSync(join(dist, 'electron'), LAUNCHER);
chmodSync(join(dist, 'electron'), 0o755);

// electron-builder opens the default app, so it has to be a sound archive.
const empty = mkdtempSync(join(tmpdir(), 'default-app-'));
writeFileSync(join(empty, 'package.json'), '{"name":"default-app","main":"main.js"}');
writeFileSync(join(empty, 'main.js'), '');
await createPackage(empty, join(dist, 'resources/default_app.asar'));
rmSync(empty, { recursive: true });
process.stdout.write(
  `packaging/dist: filler for Electron ${version} (${readFileSync(join(dist, 'electron')).length} bytes of launcher)\n`,
);
