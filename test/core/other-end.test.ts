import { expect, test } from 'vitest';
import { eventWithMessage, first, healthy, incidentsOf, metrics, of } from '../support/by-hand.ts';

/** Cables: what is at their other end, and whom nothing places. */

const machines = [1, 2, 3, 4];

/** One PDU feeds four machines, each cabled to a leaf; two spines connect the leaves. */
const row = machines
  .map(
    (n) => `pdu|pdu-a feeds server|gx-${n}
     switch|leaf-${n % 2} contains port|leaf-${n % 2}/Ethernet${n}
     port|leaf-${n % 2}/Ethernet${n} connects nic|gx-${n}/eth0
     server|gx-${n} contains nic|gx-${n}/eth0
     service|chat runs_on server|gx-${n}`,
  )
  .concat('switch|spine-1 connects switch|leaf-0', 'switch|spine-1 connects switch|leaf-1')
  .concat('switch|spine-2 connects switch|leaf-0', 'switch|spine-2 connects switch|leaf-1')
  .join('\n');

const portsDown = machines.map((n) =>
  eventWithMessage(695, 'sonic', 'link_down', `leaf-${n % 2}/Ethernet${n}`, 'high', 'oper state down'),
);

test('ports whose machines lost their power go down by that, though the PDU logs it three seconds later', async () => {
  const trip = eventWithMessage(698, 'bms', 'breaker_trip', 'pdu-a', 'critical', 'main breaker open');
  const [incident] = await incidentsOf(row, { events: [trip, ...portsDown] }, metrics('chat'));
  expect(first(incident)?.subject?.id).toBe('pdu-a');
  const explained = first(incident)?.evidence.find(({ kind }) => kind === 'explains');
  expect(explained?.text).toMatch(/^explains link down on leaf-./);
});

test('without the power loss the same ports lead to a switch above both', async () => {
  const [incident] = await incidentsOf(row, { events: portsDown }, metrics('chat'));
  expect(first(incident)?.subject?.id).toMatch(/^(?:spine-|pdu-a)/);
  expect(first(incident)?.type).toBe('unobserved_fault');
});

test('what waits behind a restarting switch draws the same power, which is no evidence for the switch', async () => {
  const power = { events: [eventWithMessage(705, 'eos', 'switch_reboot', 'tor-1', 'high', 'coldStart')] };
  const incidents = await incidentsOf(
    `switch|tor-1 connects server|web-1
     switch|tor-1 connects server|web-2
     service|chat runs_on server|web-1
     service|files runs_on server|web-2`,
    power,
    metrics('chat'),
    healthy('files'),
  );
  const kinds = new Set(first(of(incidents, 'chat'))?.evidence.map(({ kind }) => kind));
  expect(first(of(incidents, 'chat'))?.subject?.id).toBe('tor-1');
  // Who is behind it measures only the requests that arrive.
  expect(kinds).not.toContain('services_healthy');
});

const balancer = `switch|tor-1 contains port|tor-1/Ethernet7
   port|tor-1/Ethernet7 connects nic|web-7/eth0
   server|web-7 contains nic|web-7/eth0
   service|api runs_on server|web-7
   service|files runs_on server|web-8`;
const flaps = [697, 716, 735].map((at) =>
  eventWithMessage(at, 'eos', 'link_down', 'tor-1/Ethernet7', 'high', 'changed state to down'),
);

test.each([
  ['a link of another service flaps meanwhile', flaps, 'insufficient_evidence'],
  ['a link flapped once, eleven minutes before', [], 'service'],
])('a balancer of unknown place: %s', async (_, events, verdict) => {
  const before = eventWithMessage(20, 'eos', 'link_down', 'tor-1/Ethernet7', 'high', 'changed state to down');
  const incidents = await incidentsOf(
    balancer,
    { events: [before, ...events] },
    metrics('balancer'),
    healthy('api'),
    healthy('files'),
  );
  const top = first(of(incidents, 'balancer'));
  expect(top?.subject?.kind ?? top?.type).toBe(verdict);
  const unplaced = top?.evidence.find(({ kind }) => kind === 'unplaced');
  if (events.length > 0) expect(unplaced?.text).toContain('for example tor-1/Ethernet7');
});
