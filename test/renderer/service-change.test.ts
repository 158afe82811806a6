import { expect, test } from 'vitest';
import type { ServiceGraph } from '../../src/model/contract/index.ts';
import { compareGraphs } from '../../src/renderer/draw/traces/service-change.ts';

const call = (callee: string, calls: number, errors: number, p95_ms: number) => ({
  ...{ caller: 'web', callee, calls, errors, p95_ms },
  p50_ms: p95_ms / 2,
});
const graph = (...calls: ServiceGraph['calls']): ServiceGraph => ({
  services: calls.map(({ callee: service, caller: _, ...figures }) => ({ service, ...figures })),
  ...{ calls, seconds: 60, share: 1 },
});

test('what appeared, vanished, fails and slowed down; few calls prove nothing', () => {
  const now = graph(
    call('new', 5, 0, 10),
    call('failing', 100, 5, 10),
    call('slow', 100, 0, 160),
    call('fast', 100, 0, 50),
    call('rare', 3, 0, 900),
    call('same', 100, 1, 110),
  );
  const before = graph(
    call('failing', 100, 1, 10),
    call('slow', 100, 0, 100),
    call('fast', 100, 0, 100),
    call('rare', 3, 0, 100),
    call('same', 100, 1, 100),
    call('gone', 40, 0, 10),
  );
  const { calls, services, isCompared } = compareGraphs(now, before);
  expect(isCompared).toBe(true);
  const changes = [
    ['new', 'new'],
    ['failing', 'failing'],
    ['slow', 'slower'],
    ['fast', 'faster'],
    ['rare', null],
    ['same', null],
    ['gone', 'gone'],
  ];
  expect(calls.map(({ callee, change }) => [callee, change])).toEqual(changes);
  expect(services.map(({ service, change }) => [service, change])).toEqual(changes);
  expect(calls.at(-1)).toMatchObject({ calls: 0, before: { calls: 40 } });
});

test('where nothing was recorded before, nothing is called new', () => {
  const now = graph(call('api', 100, 0, 10));
  for (const before of [null, graph()]) {
    const { calls, isCompared } = compareGraphs(now, before);
    expect([isCompared, calls[0]?.change]).toEqual([false, null]);
  }
});
