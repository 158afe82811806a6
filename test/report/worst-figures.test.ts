import { expect, test } from 'vitest';
import { conditionText } from '../../src/core/analysis/serving/condition-text.ts';
import { memoryCore } from '../support/core.ts';
import { random } from '../support/random.ts';
import { otlpOf, type SpanLine } from '../support/trace-case.ts';

interface Changed {
  readonly failing?: number;
  readonly times?: number;
  readonly rate?: number;
}

/** Requests of twenty minutes whose durations spread widely; from the tenth on something changed. */
function requests({ failing = 0, times = 1, rate = 1 }: Changed): SpanLine[] {
  const draw = random(3);
  const spans: SpanLine[] = [];
  for (let at_s = 0, n = 0; at_s < 1200; n++) {
    const isLater = at_s >= 600;
    const took_ms = 200 * -Math.log(1 - 0.999 * draw()) * (isLater ? times : 1);
    const span: SpanLine = {
      ...{ trace: `t${n}`, id: 's', name: 'GET /', service: 'api', kind: 2 },
      ...{ from: 1000 * at_s, to: 1000 * at_s + took_ms },
    };
    spans.push(isLater && draw() < failing ? { ...span, failed: 'error' } : span);
    at_s += (0.5 * -Math.log(1 - 0.999 * draw())) / (isLater ? rate : 1);
  }
  return spans;
}

async function summaryOf(changed: Changed): Promise<string> {
  const core = await memoryCore();
  await core.importJson(otlpOf(requests(changed)));
  const { text } = await core.api['report.render']({});
  return text.slice(text.indexOf('## Summary\n'), text.indexOf('| Status |'));
}

test('a summary states of errors alone neither that requests took longer nor that there were fewer', async () => {
  const text = await summaryOf({ failing: 0.2 });
  expect(text).toMatch(/errors rose from 0 % to/);
  expect(text).not.toMatch(/P99 rose|throughput fell|took longer/);
});

test('a summary states what is worse in all requests, and what is far worse in some', async () => {
  expect(await summaryOf({ times: 4 })).toMatch(/P99 rose from .* took longer than/);
  expect(await summaryOf({ rate: 0.3 })).toMatch(/throughput fell from/);
});

test('requests that wait at each of several replicas are not those of the service', () => {
  const figures = { rule: 'gpu-idle-while-queued', busy: 25, busy_before: 80, waiting: 9 } as const;
  expect(conditionText({ ...figures, queues: 4 })).toMatch(/while 9 requests waited at each replica on average$/);
  for (const queues of [0, 1])
    expect(conditionText({ ...figures, queues })).toMatch(/while 9 requests waited on average$/);
});
