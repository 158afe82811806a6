import { expect, test } from 'vitest';
import { accused, eventWithMessage, first, healthy, incidentsOf, metrics, of } from '../support/by-hand.ts';

/** What the records of a case link, by whatever name and layer. */

const subjectOf = (incident: Parameters<typeof first>[0]) => first(incident)?.subject?.id;

test('a store that is connected to services and jobs leads to them', async () => {
  const [incident] = await incidentsOf(
    `server|nas-1 connects service|files
     server|nas-1 connects job|pretrain
     service|files runs_on server|web-1`,
    { events: [eventWithMessage(695, 'ilo', 'drive_failure', 'nas-1', 'critical', 'drive 3 failed')] },
    metrics('files'),
  );
  expect(subjectOf(incident)).toBe('nas-1');
  expect(JSON.stringify(incident)).not.toContain('does not link');
});

test('a service is the job of its name, on all of the machines of the job', async () => {
  const links = [1, 2, 3].map((n) => `job|pretrain runs_on server|gx-${n}`);
  const [incident] = await incidentsOf(
    `${links.join('\n')}\nservice|pretrain runs_on server|gx-1`,
    { events: [eventWithMessage(697, 'ilo', 'host_degradation', 'gx-3', 'critical', 'kernel panic')] },
    metrics('pretrain'),
  );
  expect(subjectOf(incident)).toBe('gx-3');
});

test('an event that comes before one impact after another is no habit of its machine', async () => {
  const kills = [690, 780, 870, 960].map((at) =>
    eventWithMessage(at, 'kernel', 'out_of_memory', 'web-1', 'high', 'Out of memory: Killed process 1 (api)'),
  );
  const [incident] = await incidentsOf(
    'service|api runs_on server|web-1\nservice|search runs_on server|web-2',
    { events: kills },
    metrics('api'),
    healthy('search'),
  );
  expect(subjectOf(incident)).toBe('web-1');
});

const site = (behind: number): string =>
  [1, 2, 3, 4, 5]
    .map(
      (n) => `pdu|${n <= behind ? 'main' : 'other'} feeds server|web-${n}\nservice|inner-${n} runs_on server|web-${n}`,
    )
    .join('\n');

test.each([
  ['all machines are', 5, true],
  ['one of five is', 1, false],
])('a service without a place is led to by a supply that %s behind', async (_, behind, isNamed) => {
  const failed = Array.from({ length: behind }, (__, i) =>
    eventWithMessage(699 + 0.1 * i, 'ilo', 'psu_failure', `web-${i + 1}`, 'critical', 'lost its input'),
  );
  const incidents = await incidentsOf(
    site(behind),
    { events: [eventWithMessage(698, 'bms', 'breaker_trip', 'main', 'critical', 'main breaker tripped'), ...failed] },
    metrics('edge'),
  );
  const incident = of(incidents, 'edge');
  expect(accused(incident) > 0.5).toBe(isNamed);
  expect(subjectOf(incident) === 'main').toBe(isNamed);
});

test('a layer that nobody recorded does not clear what acts through it', async () => {
  const [incident] = await incidentsOf(
    `cooling|cdu-1 feeds server|gx-1
     server|gx-1 contains gpu|GPU-0
     service|chat runs_on server|gx-1
     cooling|cdu-1 feeds server|web-1
     service|search runs_on server|web-1`,
    { events: [eventWithMessage(200, 'bms', 'coolant_flow_low', 'cdu-1', 'medium', 'flow 210 L/min')] },
    metrics('chat'),
    healthy('search'),
  );
  expect(subjectOf(incident)).toBe('cdu-1');
});

test('a cable whose both ends report that it is down is the cause for who calls what is behind it', async () => {
  const flaps = [0, 14, 28].flatMap((after) => [
    eventWithMessage(694 + after, 'sonic', 'link_down', 'tor-1/Ethernet7', 'high', 'oper state down'),
    eventWithMessage(694.1 + after, 'kernel', 'link_down', 'web-7/eth0', 'high', 'NIC Link is Down'),
  ]);
  const incidents = await incidentsOf(
    `switch|tor-1 contains port|tor-1/Ethernet7
     port|tor-1/Ethernet7 connects nic|web-7/eth0
     server|web-7 contains nic|web-7/eth0
     service|portal calls service|catalog
     service|portal runs_on server|web-1
     service|catalog runs_on server|web-7
     service|files runs_on server|web-7`,
    { events: flaps },
    metrics('portal'),
    healthy('catalog'),
    healthy('files'),
  );
  const incident = of(incidents, 'portal');
  expect(subjectOf(incident)).toMatch(/^(?:tor-1\/Ethernet7|web-7\/eth0)$/);
  const kinds = new Set(first(incident)?.evidence.map(({ kind }) => kind));
  // One cable is no company, and who is behind it measures only the requests that arrive.
  for (const against of ['together', 'callee_fine', 'services_healthy']) expect(kinds).not.toContain(against);
});

test('what befalls one GPU of eight is rather its own than that of the machine that nobody recorded', async () => {
  const unknownIf = async (gpus: number): Promise<number> => {
    const links = Array.from({ length: gpus }, (_, i) => `server|gx-1 contains gpu|gx-1/GPU-${i}`);
    const hot = eventWithMessage(680, 'nvml', 'thermal_throttle', 'gx-1/GPU-0', 'high', 'HW thermal slowdown');
    const topology = `${links.join('\n')}\nservice|chat runs_on gpu|gx-1/GPU-0`;
    const [incident] = await incidentsOf(topology, { events: [hot] }, metrics('chat'));
    return incident?.hypotheses.find(({ type }) => type === 'insufficient_evidence')?.probability ?? 0;
  };
  const [ofEight, ofOne] = [await unknownIf(8), await unknownIf(1)];
  expect(ofEight).toBeGreaterThan(0);
  // The shared fate of parts is known from elsewhere too: that alone makes it less than half.
  expect(ofEight).toBeLessThan(ofOne / 3);
});

test('a layer that nobody recorded makes a recorded root less sure, and does not outvote it', async () => {
  const links = [1, 2].flatMap((n) => [
    `pdu|A feeds server|gx-${n}`,
    `pdu|B feeds server|gx-${n}`,
    `server|gx-${n} contains gpu|gx-${n}/GPU-0`,
  ]);
  const throttled = (device: string) => [
    eventWithMessage(680, 'nvml', 'thermal_throttle', device, 'high', 'HW thermal slowdown'),
    eventWithMessage(684, 'nvml', 'power_cap_applied', device, 'medium', 'SW power cap'),
  ];
  const [incident] = await incidentsOf(
    `${links.join('\n')}\nservice|chat runs_on gpu|gx-1/GPU-0`,
    { events: throttled('gx-1/GPU-0') },
    metrics('chat'),
  );
  expect(subjectOf(incident)).toBe('gx-1/GPU-0');
  const unknown = incident?.hypotheses.find(({ type }) => type === 'insufficient_evidence');
  expect(unknown?.probability).toBeGreaterThan(0.05);
  expect(unknown?.evidence.map(({ kind }) => kind)).toContain('unrecorded_cause');
});

test('a switch whose kernel starts has restarted, though its log names a host', async () => {
  const down = [1, 2, 3].map((n) =>
    eventWithMessage(696, 'kernel', 'link_down', `gx-${n}/eth0`, 'high', 'Link is Down'),
  );
  const links = [1, 2, 3].flatMap((n) => [
    `switch|leaf-1 contains port|leaf-1/${n}`,
    `port|leaf-1/${n} connects nic|gx-${n}/eth0`,
    `server|gx-${n} contains nic|gx-${n}/eth0`,
    `service|chat runs_on server|gx-${n}`,
  ]);
  const started = eventWithMessage(900, 'kernel', 'host_rebooted', 'leaf-1', 'low', 'Linux version 6.1.0');
  const [incident] = await incidentsOf(links.join('\n'), { events: [...down, started] }, metrics('chat'));
  expect(first(incident)).toMatchObject({ type: 'switch_reboot', subject: { kind: 'switch', id: 'leaf-1' } });
});

test('a machine on which a service with known places does not run is not accused by its time alone', async () => {
  const [incident] = await incidentsOf(
    `pdu|main feeds server|web-1
     pdu|main feeds server|web-9
     service|api runs_on server|web-1`,
    { events: [eventWithMessage(695, 'ilo', 'psu_failure', 'web-9', 'critical', 'Power supply 1 has failed')] },
    metrics('api'),
  );
  expect(accused(incident)).toBeLessThan(0.5);
});

test('a link that goes on to flap after an impact is no habit of its port', async () => {
  const flaps = Array.from({ length: 13 }, (_, i) =>
    eventWithMessage(690 + 50 * i, 'syslog', 'link_down', 'tor/e1', 'high', 'e1 down'),
  );
  const [incident] = await incidentsOf(
    `switch|tor contains port|tor/e1
     port|tor/e1 connects server|web-1
     service|api runs_on server|web-1`,
    { events: flaps },
    metrics('api'),
  );
  expect(subjectOf(incident)).toBe('tor/e1');
  expect(accused(incident)).toBeGreaterThan(0.5);
});
