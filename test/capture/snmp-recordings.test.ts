import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { snmpFeed } from '../../src/main/capture/snmp/index.ts';
import { snmpWalk } from '../../src/main/sources/snmp-walk/index.ts';
import { addBatch, emptyReading, type Reading, readSource, samplesOf } from '../support/read-source.ts';
import { sharedDataIfPresent } from '../support/shared-data.ts';
import { hasSnmpsim, type Snmpsim, snmpsim } from '../support/snmpsim.ts';

const folder = sharedDataIfPresent('snmp/librenms');
const recordings =
  folder === null
    ? []
    : readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.snmprec'))
        .map((path) => join(folder, path));

/** Rows of one poll of an agent. */
async function polled(port: number, community: string): Promise<Reading> {
  process.env['RECORDING'] = community;
  const plan = snmpFeed.plan.parse({
    kind: 'snmp',
    host: '127.0.0.1',
    port,
    community: 'env:RECORDING',
    most_requests_per_s: 1000,
    most_values: 50,
    timeout_s: 10,
  });
  const reading = emptyReading();
  const stop = new AbortController();
  const down: string[] = [];
  await snmpFeed.open(plan).run(
    {
      take: (batches) => {
        for (const batch of batches) addBatch(reading, batch);
        stop.abort(new Error('enough'));
        return true;
      },
      reportState: (state, reason) => {
        if (state === 'down') down.push(reason);
        if (state === 'down') stop.abort(new Error(reason));
      },
      lost: () => undefined,
    },
    stop.signal,
  );
  expect(down).toEqual([]);
  return { ...reading, remarks: [...reading.remarks] };
}

/** Values with all that identifies their series, without read time. */
const reported = (reading: Reading) =>
  samplesOf(reading)
    .map(({ time_ns: _, ...sample }) => JSON.stringify(sample))
    .sort();
const entityTexts = ({ entities }: Reading) =>
  [...entities].map(([key, { aliases, attributes }]) => `${key} ${[...aliases].sort().join()} ${attributes}`).sort();
const edges = ({ rows }: Reading) => rows.edge.map((row) => `${row.from_entity} ${row.kind} ${row.to_entity}`).sort();

describe.skipIf(!hasSnmpsim || recordings.length === 0)(
  'devices behind a simulator (skipped: snmpsim or the recordings are missing)',
  () => {
    let simulator: Snmpsim | undefined;
    beforeAll(async () => {
      simulator = await snmpsim(recordings);
    });
    afterAll(() => simulator?.stop());

    test.each(
      recordings.length === 0 ? [['each device', '']] : recordings.map((file) => [basename(file, '.snmprec'), file]),
    )('%s is read live as its recording is', async (community, file) => {
      const live = await polled(simulator?.port ?? 0, community);
      const read = await readSource(snmpWalk, readFileSync(file), {
        assume: { device: `127.0.0.1:${simulator?.port}` },
      });
      expect(reported(live)).toEqual(reported(read));
      expect(entityTexts(live)).toEqual(entityTexts(read));
      expect(edges(live)).toEqual(edges(read));
    });
  },
);
