import { expect, test } from 'vitest';
import { atSecond, type Recording, softwareCase } from '../support/software-case.ts';

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

async function callsOf(fill: (recording: Recording) => void): Promise<string[]> {
  const reader = await softwareCase(fill);
  const names = new Map((await reader.entities()).map(({ entity_id, id }) => [entity_id, id]));
  const calls = await reader.calls(0n, 2n ** 62n, 1n);
  return calls.map(({ caller, callee }) => `${names.get(caller)} -> ${names.get(callee)}`).toSorted();
}

test('a client names whom it calls, though that service records no spans', async () => {
  const calls = await callsOf(({ builder }) => {
    for (const [i, [service, kind, attributes]] of spans.entries())
      builder.table('span').push({
        ...{ trace_hi: 1n, trace_lo: BigInt(i + 1), span_id: BigInt(i + 1), parent_id: 0n },
        ...{ start_ns: atSecond(i), end_ns: atSecond(i + 1), name: builder.name('a call'), kind, status: 0, flags: 0 },
        ...{ service: builder.entity('service', service), resource: -1, scope: -1, dropped: 0 },
        ...{ trace_state: '', status_message: '', attributes: JSON.stringify(attributes) },
      });
  });
  expect(calls).toEqual(['web -> cart', 'web -> redis', 'web -> search', 'web -> users']);
});

test('a log line of warning or error about a call names the service that was called', async () => {
  const [WARNING, ERROR, INFORMATION] = [13, 17, 9];
  const calls = await callsOf((recording) => {
    for (const service of ['cart', 'search', 'users', 'billing', 'edge']) recording.log(0, service, 'started');
    recording.log(1, 'web', 'call to cart failed: context deadline exceeded', ERROR);
    recording.log(2, 'web', 'Post "http://search.prod.svc.cluster.local:8080/v1": EOF', ERROR);
    recording.log(3, 'web', 'dial tcp: lookup users on 10.96.0.10:53: no such host', WARNING);
    // What is well, what is no call, and a request that came from there.
    recording.log(4, 'web', 'call to billing took 3 ms', INFORMATION);
    recording.log(5, 'web', 'search index is stale, cart is empty', ERROR);
    recording.log(6, 'web', 'request from edge was malformed', ERROR);
  });
  expect(calls).toEqual(['web -> cart', 'web -> search', 'web -> users']);
});
