import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kernelLog } from '../../src/main/sources/kernel-log/index.ts';
import type { Feed } from '../../src/model/storage/feed.ts';
import { memoryCore, openTestCore, type TestCore, temporaryFolder } from '../support/core.ts';
import { openedFeeds } from '../support/opened-feeds.ts';
import { inputOf } from '../support/source-input.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');
const line = (second: number, text: string) =>
  `${new Date(START_MS + second * 1000).toISOString().replace('Z', '000+00:00')} node-3 kernel: ${text}\n`;
const xid = (second: number, code = 31, pid = 7, pci = '9b') =>
  line(second, `NVRM: Xid (PCI:0000:${pci}:00): ${code}, pid=${pid}, name=python, Ch 0000001${second % 10}`);
const sxid = (second: number, link: number) =>
  ['Non-fatal, Link LINK egress non-posted PRIV error', 'Severity 0 Engine instance LINK', 'Data {0x50610002}']
    .map((text) => line(second, `nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 12028, ${text.replace('LINK', `${link}`)}`))
    .join('');

const eventsOf = async (core: TestCore): Promise<unknown[]> =>
  (
    await core.api['query.sql']({
      sql: `select device_id, message, (epoch(time_utc) - ${START_MS / 1000})::integer, (attributes->>'$.count')::integer,
              ((attributes->>'$.last_time_ns')::bigint / 1e9 - ${START_MS / 1000})::integer
            from events order by time_ns, event_id`,
    })
  ).rows.map(([device, message, ...rest]) => [device, String(message).slice(0, 10), ...(rest as unknown[])]);

test('repeats of an Xid within a minute are a count of one event; of others, of other processes and later ones not', async () => {
  const core = await memoryCore();
  const path = join(await temporaryFolder(), 'kernel.log');
  const log = [
    ...[0, 1, 1, 50, 105].map((second) => xid(second)),
    xid(2, 31, 8),
    xid(3, 43),
    xid(4, 31, 7, '9c'),
    xid(166),
    sxid(200, 32),
    sxid(201, 32),
    sxid(201, 33),
  ];
  await writeFile(path, log.join(''));
  await core.import([path]);
  expect(await eventsOf(core)).toEqual([
    ['node-3/pci-0000:9b:00', 'Xid 31: me', 0, 5, 105],
    ['node-3/pci-0000:9b:00', 'Xid 31: me', 2, null, null],
    ['node-3/pci-0000:9b:00', 'Xid 43: th', 3, null, null],
    ['node-3/pci-0000:9c:00', 'Xid 31: me', 4, null, null],
    ['node-3/pci-0000:9b:00', 'Xid 31: me', 166, null, null],
    ['node-3/nvswitch-0000:c1:00', 'SXid 12028', 200, 2, 201],
    ['node-3/nvswitch-0000:c1:00', 'SXid 12028', 201, null, null],
  ]);
  const { rows } = await core.api['query.sql']({ sql: 'select rows from source' });
  expect(JSON.parse(String(rows[0]?.[0]))).toMatchObject({ event: 7, log: 18 });
  const { fields } = await core.api['evidence.get']({ ref: 'event:1' });
  expect(fields).toEqual(
    expect.arrayContaining([
      { name: 'count', value: '5' },
      { name: 'last time', value: '2026-01-01T00:01:45.000Z' },
    ]),
  );
});

test('a feed counts on: what it brings later is no event of its own', async () => {
  const feed: Feed = {
    name: 'node-3',
    format: 'kernel-log-live',
    stampedBy: 'sender',
    about: '',
    run: async (sink) => {
      let brought = 0;
      for (const lines of [[xid(0), xid(1)], [xid(30)], [xid(70), xid(200)]]) {
        for await (const batch of kernelLog.read(inputOf(lines.join('')))) sink.take([batch]);
        brought += lines.length;
        // Each part is written before the next one comes.
        await expect.poll(async () => (await core.api['query.sql']({ sql: 'from logs' })).rows.length).toBe(brought);
      }
    },
  };
  const core = await openTestCore(undefined, { feeds: openedFeeds([feed]) });
  for await (const _ of core.api['capture.run']({ plan: 'any' }));
  expect(await eventsOf(core)).toEqual([
    ['node-3/pci-0000:9b:00', 'Xid 31: me', 0, 4, 70],
    ['node-3/pci-0000:9b:00', 'Xid 31: me', 200, null, null],
  ]);
});
