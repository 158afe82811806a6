import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';

const root = join(import.meta.dirname, '../../fixtures');
const folders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test.each(folders)('findings over the fixtures of %s rest on records that exist, and lie in time', async (name) => {
  const core = await memoryCore();
  await core.import([join(root, name)]);
  if ((await core.api['case.current']({})) === null) return;
  const { findings } = await core.api['patterns.list']({});
  expect(new Set(findings.map(({ id }) => id)).size).toBe(findings.length);
  for (const { headline, evidence, start_ns, end_ns, verdict, missing } of findings) {
    expect(headline).not.toMatch(/undefined|null|NaN|Infinity|\[object| {2}|:\.$/);
    expect(end_ns).toBeGreaterThanOrEqual(start_ns);
    expect(verdict).toBe(missing.length > 0 ? 'partial' : 'complete');
    const refs = evidence.flatMap((line) => line.refs);
    expect([headline, refs.length]).not.toEqual([headline, 0]);
    for (const ref of refs) expect((await core.api['evidence.get']({ ref })).ref).toBe(ref);
  }
});
