import { expect, test } from 'vitest';
import { prepareCase } from '../../src/core/store/case-file/case-file.ts';
import { SourceWriter } from '../../src/core/store/writer/append.ts';
import { statedPlaces } from '../../src/core/store/writer/stated-places.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { readLog } from '../../src/main/sources/application-log/read-log.ts';
import type { RowBatch } from '../../src/model/rows/rows.ts';
import type { StatedPlace } from '../../src/model/telemetry/place-attributes.ts';
import { inputOf } from '../support/source-input.ts';

const at = (second: number) => `"time":"2026-05-01T14:00:${String(second % 60).padStart(2, '0')}Z","msg":"work"`;
const lines = [
  ...Array.from(
    { length: 40 },
    (_, i) => `{${at(i)},"rank":${i % 4},"host.name":"node-${i % 2}","local_rank":${i % 2}}`,
  ),
  ...Array.from(
    { length: 40 },
    (_, i) => `{${at(i)}, "gpu.uuid": "GPU-${i % 3}", "service": "api", "job_id": ${i % 5}}`,
  ),
  ...Array.from(
    { length: 9 },
    (_, i) => `{${at(i)},"gpu":{"index":${i}},"gpu.index":${i % 2},"pod":"p-${i % 3}","k8s.pod.name":"q"}`,
  ),
  `{${at(1)},"gpu_uuid":null,"job.id":""}`,
  `{${at(2)},"gpu_uuid":true,"job.id":1.50,"slurm.job_id":1e3,"gpu.id":{"a":1},"gpu.device":[0]}`,
  `{${at(3)},"rank":"007","service":"api"}`,
  `{${at(4)},"rank":"x","gpu.id":"\\u00e4\\"b"}`,
  `{${at(5)},"training.rank":3,"training.job_id":"j"}`,
  `{${at(6)},"note":"\\"rank\\" and \\"gpu.id\\": 4"}`,
  `{"log":"{\\"time\\":\\"2026-05-01T14:00:00Z\\",\\"msg\\":\\"in docker\\",\\"gpu.id\\":7}\\n","time":"2026-05-01T14:00:00Z","stream":"stdout"}`,
].join('\n');

const sorted = (places: readonly StatedPlace[]): readonly string[] =>
  [...new Set(places.map(({ resource, attributes }) => `${resource} ${JSON.stringify(attributes)}`))].sort();

async function batchesOf(usesFast: boolean): Promise<RowBatch[]> {
  const batches: RowBatch[] = [];
  for await (const batch of readLog(inputOf(lines), 'application-log', usesFast)) batches.push(batch);
  return batches;
}

/** What the store reads from the rows themselves. */
async function readFromRows(batches: readonly RowBatch[]): Promise<readonly string[]> {
  const engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'case');
  const session = await engine.session();
  try {
    const source = {
      name: 'a.log',
      format: 'application-log',
      imported_at_ns: 0n,
      clock_offset_ns: 0n,
      clock_uncertainty_ns: 0n,
    };
    const writer = await SourceWriter.begin(session, source);
    for (const { log_places, ...batch } of batches) await writer.append(batch);
    await writer.end();
    const resources = writer.identities.resourceAttributes();
    return sorted(await statedPlaces(session, writer.sourceId, resources, ['log']));
  } finally {
    session.close();
    await engine.close();
  }
}

test.each([true, false])(
  'places that the reader notes of log records are those of the rows (fast: %s)',
  async (usesFast) => {
    const batches = await batchesOf(usesFast);
    const noted = sorted(batches.flatMap(({ log_places }) => log_places ?? []));
    expect(noted.length).toBeGreaterThan(20);
    expect(noted).toEqual(await readFromRows(await batchesOf(usesFast)));
  },
);
