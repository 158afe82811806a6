import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, temporaryFolder } from '../support/core.ts';

const dump = (entries: readonly (readonly [at: string, message: string])[]) => ({
  '@odata.id': '/redfish/v1/Systems/1/LogServices/SEL/Entries',
  '@odata.type': '#LogEntryCollection.LogEntryCollection',
  Members: entries.map(([Created, Message], i) => ({
    '@odata.id': `/redfish/v1/Systems/1/LogServices/SEL/Entries/${i + 1}`,
    '@odata.type': '#LogEntry.v1_9_0.LogEntry',
    Id: String(i + 1),
    EntryType: 'SEL',
    Created,
    Message,
    Severity: 'Warning',
  })),
});

test('a dump of the log of each machine in one folder is as many machines; an end of a state is no failure', async () => {
  const folder = join(await temporaryFolder(), 'redfish');
  await mkdir(folder);
  const dumps = {
    'gpu-node-1': [
      ['2026-05-01T14:10:00Z', 'PS1 Status: Power Supply input lost (AC/DC) - Assertion'],
      ['2026-05-01T14:15:00Z', 'PS1 Status: Power Supply input lost (AC/DC) - Deassertion'],
    ],
    'gpu-node-2': [['2026-05-01T14:10:01Z', 'PS2 Status: Power Supply input lost (AC/DC) - Assertion']],
  } as const;
  for (const [name, entries] of Object.entries(dumps))
    await writeFile(join(folder, `${name}.json`), JSON.stringify(dump(entries)));
  const core = await memoryCore();
  await core.import([folder]);
  const sql = 'select device_id, type from events order by time_ns';
  expect((await core.api['query.sql']({ sql })).rows).toEqual([
    ['gpu-node-1', 'psu_failure'],
    ['gpu-node-2', 'psu_failure'],
    ['gpu-node-1', 'psu_restored'],
  ]);
});
