import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './harness.ts';

const file = join(root, 'dist/linux-unpacked/THIRD-PARTY-NOTICES.txt');
const isPackaged = existsSync(file);
/** What may be handed out without publishing sources. OFL: fonts alone. */
const PERMISSIVE = /^(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|OFL-1\.1|MIT OR Apache-2\.0)$/;

describe.skipIf(!isPackaged)(`third-party notices${isPackaged ? '' : ' (absent: npm run package writes them)'}`, () => {
  const text = isPackaged ? readFileSync(file, 'utf8') : '';
  const packages = [...text.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) (\d[\w.-]*) \((.+)\)$/gm)];

  it('name what is bundled, what is packed beside it, the fonts and what the viewer runs on', () => {
    const names = packages.map(([, name]) => name);
    for (const one of ['react', 'zod', 'net-snmp', 'koffi', '@duckdb/node-api', '@fontsource-variable/inter'])
      expect(names).toContain(one);
    for (const one of ['detect-libc', '@duckdb/node-bindings']) expect(names).toContain(one);
    for (const one of ['apache-arrow', '@duckdb/duckdb-wasm', 'parquet-wasm']) expect(names).toContain(one);
    for (const one of ['typescript', 'vitest', 'electron-builder']) expect(names).not.toContain(one);
  });

  it('hold permissive licenses only', () => {
    expect(packages.length).toBeGreaterThan(100);
    expect(packages.filter(([, , , license]) => !PERMISSIVE.test(license!)).map(([line]) => line)).toEqual([]);
  });
});
