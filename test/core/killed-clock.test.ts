import { expect, onTestFinished, test } from 'vitest';
import { liveDeriver } from '../../src/core/api/captures/live-deriver.ts';
import { prepareCase } from '../../src/core/store/case-file/case-file.ts';
import { finishCapture } from '../../src/core/store/live/finish-capture.ts';
import { LiveWriter } from '../../src/core/store/live/live-writer.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { readPlaces } from '../../src/main/sources/workload/append-places.ts';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendSample } from '../../src/model/rows/records.ts';
import { nanos } from '../../src/model/time.ts';

const SECOND = 1_000_000_000n;
const BEGAN = 1_767_225_600n * SECOND;

test.each([
  ['of the same start of the machine: it is known by how much', 'boot-1', [-3600, -3590]],
  ['of another start: how long nothing was recorded is not known', 'boot-2', [0, 0]],
])('a clock that is set back between a capture that was killed and the next one, %s', async (_, boot, outage) => {
  const engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'live');
  const session = await engine.session();
  onTestFinished(async () => {
    session.close();
    await engine.close();
  });
  const clock = { clock_offset_ns: 0n, clock_uncertainty_ns: 0n };
  const needs = { now: () => BEGAN, runs: () => ({ boot: 'boot-1', for_ns: 100n * SECOND }) };
  const writer = await LiveWriter.begin(session, await liveDeriver(session), needs);
  for (const [name, isTheirs] of [
    ['pdu', false],
    ['sender', true],
  ] as const) {
    const feed = writer.add({ name, format: `${name}-live`, imported_at_ns: BEGAN, ...clock }, isTheirs);
    const builder = new BatchBuilder();
    const entity = builder.entity('server', 'node-1');
    appendSample(builder, { entity, metric: 'hw.power', time_ns: nanos(BEGAN - SECOND), value: 400 });
    writer.append(feed, builder.finish(0));
  }
  await writer.flush();
  await finishCapture(session, 'killed', readPlaces);
  // An hour back, and ten seconds on.
  const runs = () => ({ boot, for_ns: 110n * SECOND });
  const now = () => BEGAN - 3590n * SECOND;
  await LiveWriter.begin(session, await liveDeriver(session), { now, runs });
  const { columns } = await session.query(
    `select name, ((first_ns + clock_offset_ns - $1) // 1000000000)::integer, ((from_ns + clock_offset_ns - $1) // 1000000000)::integer,
       ((until_ns + clock_offset_ns - $1) // 1000000000)::integer from source join outage using (source_id) order by name`,
    [BEGAN],
  );
  expect(columns).toEqual([
    ['pdu', 'sender'],
    // What this machine stamped lies before the outage, what others stamped stays.
    [outage[0]! - 1, -1],
    [outage[0], outage[0]],
    [outage[1], outage[1]],
  ]);
});
