import { expect, onTestFinished, test } from 'vitest';
import { deriveAll } from '../../src/core/analysis/derive/derive-all.ts';
import { liveDeriver } from '../../src/core/api/captures/live-deriver.ts';
import { prepareCase } from '../../src/core/store/case-file/case-file.ts';
import { createReader } from '../../src/core/store/facts/reader.ts';
import { LiveWriter } from '../../src/core/store/live/live-writer.ts';
import { replaceDerivedEvents } from '../../src/core/store/writer/derived-events.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendSample } from '../../src/model/rows/records.ts';
import type { RowBatch } from '../../src/model/rows/rows.ts';
import { nanos } from '../../src/model/time.ts';

const BEGAN = 1_767_225_600_000_000_000n;
const clock = { clock_offset_ns: 0n, clock_uncertainty_ns: 0n };

/** A machine with steady power, and a pod that begins to count its processor time. */
function recording(): RowBatch {
  const builder = new BatchBuilder();
  const machine = builder.entity('server', 'node-1');
  const pod = builder.entity('pod', 'batch/transcode-1');
  for (let i = 0; i < 60; i++) {
    const time_ns = nanos(BEGAN + BigInt(i) * 15_000_000_000n);
    appendSample(builder, { entity: machine, metric: 'hw.power', time_ns, value: 400 });
    if (i < 30) continue;
    const metric = { name: 'container_cpu_usage_seconds_total', unit: 's', counter: true };
    appendSample(builder, { entity: pod, metric, time_ns, value: 60 * (i - 29) });
  }
  return builder.finish(0);
}

function laterSamples(): RowBatch {
  const builder = new BatchBuilder();
  const entity = builder.entity('gpu', 'GPU-1');
  for (let i = 0; i < 4; i++) {
    const time_ns = nanos(BEGAN + BigInt(2000 + i) * 1_000_000_000n);
    appendSample(builder, { entity, metric: 'hw.gpu.xid', time_ns, value: i < 2 ? 0 : 79 });
  }
  return builder.finish(0);
}

test('what the rows before a capture had shown stays an event while it runs', async () => {
  const engine = await openNativeEngine(':memory:');
  const session = await engine.session();
  onTestFinished(async () => {
    session.close();
    await engine.close();
  });
  await prepareCase(engine, 'test');
  const types = async () =>
    (await session.query('select distinct n.text from event e join name n on n.name_id = e.type order by 1'))
      .columns[0];
  const write = async (name: string, batch: RowBatch) => {
    const writer = await LiveWriter.begin(session, await liveDeriver(session));
    const feed = writer.add({ name, format: 'test-live', imported_at_ns: BEGAN, ...clock });
    writer.append(feed, batch);
    await writer.flush();
  };
  await write('first', recording());
  await replaceDerivedEvents(session, await deriveAll(createReader(session)));
  expect(await types()).toEqual(['pod_started']);
  await write('second', laterSamples());
  expect(await types()).toEqual(['pod_started', 'xid_error']);
});
