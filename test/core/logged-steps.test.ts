import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readMeasurements } from '../../src/core/analysis/impact/measurements.ts';
import type { Reader } from '../../src/core/store/facts/reader.ts';
import { openTestCore, temporaryFolder } from '../support/core.ts';
import { atSecond, softwareCase } from '../support/software-case.ts';

const MINUTES = 30;

/** A step each four seconds up to `last`, and another log that goes on to the end. */
const job = (of: (step: number) => object, last: number, more: object = {}): Promise<Reader> =>
  softwareCase(({ builder }) => {
    const add = (name: string, second: number, attributes: object): void => {
      const entity = builder.entity('service', name);
      const stated = JSON.stringify({ 'service.name': name });
      const resource = builder.resource({ entity, attributes: stated, schema_url: '' });
      builder.table('log').push({
        ...{
          time_ns: atSecond(second),
          observed_ns: 0n,
          severity: 9,
          severity_text: -1,
          event_name: -1,
          resource,
          scope: -1,
        },
        ...{ trace_hi: 0n, trace_lo: 0n, span_id: 0n, flags: 0, dropped: 0, body: 'a line' },
        attributes: JSON.stringify(attributes),
      });
    };
    for (let second = 0; second < MINUTES * 60; second += 4)
      if (second / 4 <= last) add('pretrain', second, { ...of(second / 4), ...(second / 4 === last ? more : {}) });
    for (let second = 0; second <= MINUTES * 60; second += 10) add('other', second, {});
  });

async function figures(reader: Reader) {
  const [measured] = [...(await readMeasurements(reader)).values()];
  if (!measured) return undefined;
  const at = (minute: number) => measured.time_ns.indexOf(atSecond(minute * 60));
  return [measured.from, measured.p50[at(5)], measured.throughput[at(5)], measured.throughput[at(20)] ?? null];
}

const ALL = 450;
test.each<readonly [string, (step: number) => object, readonly unknown[]]>([
  ['as the text states them', (step) => ({ 'training.step': step, 'training.step.duration': 3.5 }), [3500, 0.25]],
  ['in fields, with the time of a step', (step) => ({ global_step: step, loss: 2.1, step_time_s: 3.5 }), [3500, 0.25]],
  ['in fields, without a time', (step) => ({ iteration: step, 'train/loss': 2.1 }), [4000, 0.25]],
  ['ten at a time', (step) => ({ step: 10 * step, loss: 2.1 }), [400, 2.5]],
])('a job is measured by the steps of its log, %s', async (_, of, [time, rate]) => {
  expect(await figures(await job(of, ALL))).toEqual(['steps', time, rate, rate]);
});

test('a job whose steps end while the recording goes on makes no progress; one that is done is not measured any more', async () => {
  const steps = (step: number) => ({ step, loss: 2.1 });
  expect(await figures(await job(steps, 200))).toEqual(['steps', 4000, 0.25, 0]);
  expect(await figures(await job(steps, 200, { 'training.done': true }))).toEqual(['steps', 4000, 0.25, null]);
});

test('steps that are none of training, and those of an evaluation, measure nothing', async () => {
  expect(await figures(await job((step) => ({ step, workflow: 'build' }), ALL))).toBeUndefined();
  expect(await figures(await job((step) => ({ step, eval_loss: 2.1 }), ALL))).toBeUndefined();
});

/** Text of a job whose steps take two seconds, and five from minute 20 to 30. */
function* lines(line: (step: number, seconds: number) => string): Generator<string> {
  let at = Date.UTC(2026, 4, 1, 14);
  for (let step = 1; step <= 1000; step++) {
    const seconds = (step >= 600 && step < 720 ? 5 : 2) + (step % 5) / 100;
    at += seconds * 1000;
    yield `${new Date(at).toISOString()} INFO trainer: ${line(step, seconds)}`;
  }
}

test.each([
  ['of PyTorch', (step: number, seconds: number) => `step ${step} loss 2.1 step_time=${seconds.toFixed(2)}s`],
  [
    'of Megatron-LM',
    (step: number, seconds: number) =>
      `iteration ${step}/ 5000 | consumed samples: ${step * 256} | elapsed time per iteration (ms): ${(seconds * 1000).toFixed(1)} | lm loss: 2.1E+00 |`,
  ],
  ['without a time', (step: number) => `global_step: ${step} | loss: 2.1 | lr: 1e-4`],
])('a job that only its log measures is slow: %s', async (_, line) => {
  const file = join(await temporaryFolder(), 'pretrain.log');
  await writeFile(file, [...lines(line)].join('\n'));
  const core = await openTestCore(undefined, { inMemory: true });
  await core.import([file]);
  const found = await core.api['incidents.list']({});
  expect(found.map(({ service }) => service)).toEqual(['pretrain']);
});

test('a job of which only the machine is known is measured there, as by lines of syslog', async () => {
  const file = join(await temporaryFolder(), 'messages.log');
  const line = (step: number, seconds: number) =>
    `iteration ${step}/ 5000 | elapsed time per iteration (ms): ${(seconds * 1000).toFixed(1)} | lm loss: 2.1E+00 |`;
  const text = [...lines(line)].join('\n').replace(/^(\S+) INFO trainer:/gm, '$1 train-1 torchrun[4242]:');
  await writeFile(file, text);
  const core = await openTestCore(undefined, { inMemory: true });
  await core.import([file]);
  const [job] = (await core.api['jobs.list']({})).jobs;
  expect([job?.name, job?.state, job?.last_step]).toEqual(['train-1', 'running', 1000]);
  const found = await core.api['incidents.list']({});
  expect(found.map(({ service }) => service)).toEqual(['train-1']);
});
