import { expect, test } from 'vitest';
import { atSecond, softwareCase } from '../support/software-case.ts';

const [CLIENT, SERVER] = [3, 2];
const spans: readonly (readonly [service: string, kind: number, attributes: Readonly<Record<string, string>>])[] = [
  ['web', CLIENT, { 'peer.service': 'cart' }],
  ['web', CLIENT, { 'service.peer.name': 'search' }],
  ['web', CLIENT, { 'server.address': 'users.prod.svc.cluster.local:8080' }],
  ['web', CLIENT, { 'db.system.name': 'redis', 'server.address': '10.0.0.7' }],
  // Of another domain, of nobody, and what a server knows of its client.
  ['web', CLIENT, { 'server.address': 'billing.example.com' }],
  ['web', CLIENT, { 'peer.service': 'nobody' }],
  ['web', SERVER, { 'peer.service': 'edge' }],
  ...['cart', 'search', 'users', 'redis', 'billing', 'edge'].map((service) => [service, SERVER, {}] as const),
];

test('a client names whom it calls, though that service records no spans', async () => {
  const reader = await softwareCase(({ builder }) => {
    for (const [i, [service, kind, attributes]] of spans.entries())
      builder.table('span').push({
        ...{ trace_hi: 1n, trace_lo: BigInt(i + 1), span_id: BigInt(i + 1), parent_id: 0n },
        ...{ start_ns: atSecond(i), end_ns: atSecond(i + 1), name: builder.name('a call'), kind, status: 0, flags: 0 },
        ...{ service: builder.entity('service', service), resource: -1, scope: -1, dropped: 0 },
        ...{ trace_state: '', status_message: '', attributes: JSON.stringify(attributes) },
      });
  });
  const names = new Map((await reader.entities()).map(({ entity_id, id }) => [entity_id, id]));
  const calls = await reader.calls(0n, 2n ** 62n, 1n);
  expect(calls.map(({ caller, callee }) => `${names.get(caller)} -> ${names.get(callee)}`).toSorted()).toEqual([
    'web -> cart',
    'web -> redis',
    'web -> search',
    'web -> users',
  ]);
});
