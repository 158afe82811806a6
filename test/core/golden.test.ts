import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTestCore } from '../support/core.ts';

const root = join(import.meta.dirname, '../../fixtures/incidents');
const incidents = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test.each(incidents)('the report of %s is known to the byte', async (name) => {
  const core = await openTestCore();
  await core.import(['topology', 'traces', 'events'].map((file) => join(root, name, `${file}.json`)));
  await expect((await core.api['report.render']({})).text).toMatchFileSnapshot(join(root, name, 'report.md'));
});
