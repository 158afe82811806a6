import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';

const root = join(import.meta.dirname, '../../fixtures/incidents');
const incidents = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test.each(incidents)('the report of %s is known to the byte', async (name) => {
  const core = await memoryCore();
  await core.import(['topology', 'traces', 'events'].map((file) => join(root, name, `${file}.json`)));
  await expect((await core.api['report.render']({})).text).toMatchFileSnapshot(join(root, name, 'report.md'));
});

test('what an incident cost, with prices, is known to the byte', async () => {
  const core = await memoryCore();
  await core.import(['topology', 'traces', 'events'].map((file) => join(root, 'pdu-sag', `${file}.json`)));
  const rates =
    'version: 1\ncurrency: USD\nrates:\n  - {gpu: "*", per_gpu_hour: [2, 4], as_of: 2026-01-02, source: contract}\n';
  const { text } = await core.api['report.render']({ rates, template: '{{impact}}\n' });
  await expect(text).toMatchFileSnapshot(join(root, 'pdu-sag', 'impact-with-rates.md'));
});
