import { expect, test } from 'vitest';
import { layoutServices, NODE } from '../../src/renderer/draw/traces/service-layout.ts';

const same = { before: null, change: null };
const service = (name: string) => ({ service: name, calls: 1, errors: 0, p50_ms: 1, p95_ms: 1, ...same });
const call = (caller: string | null, callee: string, calls = 1) => ({
  ...{ caller, callee, calls, errors: 0, p50_ms: 1, p95_ms: 1, ...same },
});

test('callers stand left of what they call, also around a circle, and no two overlap', () => {
  const names = ['web', 'api', 'db', 'cache', 'audit'];
  const calls = [
    call(null, 'web', 10),
    call('web', 'api', 10),
    call('api', 'db', 20),
    call('api', 'cache', 5),
    call('web', 'db'),
    // Back to its caller.
    call('audit', 'api'),
    call('db', 'audit'),
  ];
  const { services, calls: lines, left } = layoutServices({ services: names.map(service), calls });
  expect(left).toBe(0);
  const at = Object.fromEntries(services.map(({ node, x, y }) => [node.service, { x, y }]));
  for (const [caller, callee] of [
    ['web', 'api'],
    ['api', 'db'],
    ['api', 'cache'],
    ['db', 'audit'],
  ] as const)
    expect(at[caller]!.x).toBeLessThan(at[callee]!.x);
  for (const a of services)
    for (const b of services)
      if (a !== b) expect(Math.abs(a.x - b.x) >= NODE.width || Math.abs(a.y - b.y) >= NODE.height).toBe(true);
  // What comes from outside is no line.
  expect(lines).toHaveLength(6);
  const [widest] = lines.toSorted((a, b) => b.width - a.width);
  expect(widest?.call).toMatchObject({ caller: 'api', callee: 'db' });
});

test('of very many services those with most calls are drawn, and the others are counted', () => {
  const names = Array.from({ length: 80 }, (_, at) => `service-${at}`);
  const calls = names.slice(1).map((name, at) => call(names[0]!, name, at + 1));
  const { services, left } = layoutServices({ services: names.map(service), calls });
  expect([services.length, left]).toEqual([60, 20]);
  expect(services.some(({ node }) => node.service === 'service-79')).toBe(true);
  expect(services.some(({ node }) => node.service === 'service-1')).toBe(false);
});

test('a circle that nobody enters is drawn all the same', () => {
  const { services } = layoutServices({
    services: [service('a'), service('b')],
    calls: [call('a', 'b'), call('b', 'a')],
  });
  expect(services).toHaveLength(2);
});
