import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTestCore, temporaryFolder } from '../support/core.ts';

const BEGIN = Date.UTC(2026, 4, 1, 14);
const stamp = (second: number): string => new Date(BEGIN + second * 1000).toISOString();

/** Lines of a step each two seconds. */
function* steps(first: number, last: number, from: number, loss: (step: number) => string): Generator<string> {
  for (let step = first; step <= last; step++)
    yield `${stamp(from + 2 * (step - first + 1))} INFO pretrain: step ${step}/5000 loss: ${loss(step)} lr: 3.0e-4`;
}

async function correlateLogs(lines: Iterable<string>) {
  const folder = await temporaryFolder();
  const other = Array.from(
    { length: 400 },
    (_, i) => `${stamp(10 * i)} INFO scheduler: cycle ${i} of the scheduler done`,
  );
  const paths = ['pretrain.log', 'scheduler.log'].map((name) => join(folder, name));
  await writeFile(paths[0]!, `${[...lines].join('\n')}\n`);
  await writeFile(paths[1]!, `${other.join('\n')}\n`);
  const core = await openTestCore(undefined, { inMemory: true });
  await core.import(paths);
  const incidents = (await core.api['incidents.list']({})).map(({ incident }) => incident);
  const events = await core.api['query.sql']({
    sql: `select type, device_id from events where type like 'training%' order by time_ns`,
  });
  await core.close();
  return { incidents, events: events.rows };
}

const falling = (step: number): string => (8 - step / 1000).toFixed(4);

test('a job that is started again from its last checkpoint is an incident until it has done again what was lost', async () => {
  const { incidents, events } = await correlateLogs([...steps(1, 600, 0, falling), ...steps(501, 1400, 1500, falling)]);
  expect(events).toMatchObject([['training_resumed', 'pretrain']]);
  const [incident] = incidents;
  expect(incidents).toHaveLength(1);
  expect(incident).toMatchObject({ harm: 'restarted', affected_services: ['pretrain'] });
  // It had reached step 600 at 14:20:00; step 501 was done at 14:25:02, and step 600 about 198 s later.
  expect(incident!.window_end).toBe('2026-05-01T14:28:20.000Z');
});

test('a loop that counts anew, and a job that goes on with the next step, were not started again', async () => {
  const epochs = [...steps(1, 400, 0, falling), ...steps(1, 400, 800, falling), ...steps(1, 400, 1600, falling)];
  expect((await correlateLogs(epochs)).events).toEqual([]);
  expect((await correlateLogs([...steps(1, 600, 0, falling), ...steps(601, 1400, 1500, falling)])).events).toEqual([]);
});

test('a job whose loss is not finite any more has diverged; one step without a finite loss is no divergence', async () => {
  const broken = (step: number): string => (step >= 700 ? 'nan' : falling(step));
  const { incidents, events } = await correlateLogs(steps(1, 1400, 0, broken));
  expect(events).toMatchObject([['training_diverged', 'pretrain']]);
  expect(incidents.map(({ harm }) => harm)).toEqual(['diverged']);
  expect(incidents[0]!.window_start).toBe('2026-05-01T14:23:20.000Z');
  expect(incidents[0]!.hypotheses[0]!.event_id).toBeNull();

  const skipped = (step: number): string => (step === 700 ? 'inf' : falling(step));
  expect((await correlateLogs(steps(1, 1400, 0, skipped))).events).toEqual([]);
});

test('a job whose spans state their steps was started again, once for all of its ranks', async () => {
  const spans = (rank: number, pid: number, first: number, last: number, from: number) => ({
    resource: {
      attributes: Object.entries({
        'service.name': 'pretrain',
        'host.name': `node-${rank}`,
        'process.pid': String(pid),
      }).map(([key, stringValue]) => ({ key, value: { stringValue } })),
    },
    scopeSpans: [
      {
        spans: Array.from({ length: last - first + 1 }, (_, i) => ({
          traceId: `${pid}`.padStart(8, '0') + `${i}`.padStart(24, '0'),
          spanId: `${pid}`.padStart(6, '0') + `${i}`.padStart(10, '0'),
          name: 'train_step',
          startTimeUnixNano: String((BEGIN + 1000 * (from + 2 * i)) * 1e6),
          endTimeUnixNano: String((BEGIN + 1000 * (from + 2 * i + 1.9)) * 1e6),
          attributes: [
            { key: 'global_step', value: { intValue: String(first + i) } },
            { key: 'rank', value: { intValue: String(rank) } },
          ],
        })),
      },
    ],
  });
  const core = await openTestCore(undefined, { inMemory: true });
  const ranks = [0, 1, 2, 3];
  await core.importJson({
    resourceSpans: [
      ...ranks.map((rank) => spans(rank, 100 + rank, 1, 600, 0)),
      ...ranks.map((rank) => spans(rank, 200 + rank, 501, 900, 1500)),
    ],
  });
  const { rows } = await core.api['query.sql']({
    sql: `select type, device_id, message from events where type like 'training%'`,
  });
  expect(rows).toEqual([
    ['training_resumed', 'pretrain', 'the job was started again from step 501: it had reached step 600'],
  ]);
  const incidents = await core.api['incidents.list']({});
  expect(incidents.map(({ incident }) => incident.harm)).toEqual(['restarted']);
});
