import { expect, test } from 'vitest';
import type { Incident } from '../../src/model/incident/incident.ts';
import { devices, eventWithMessage, first, incidentsOf, metrics, of } from '../support/by-hand.ts';

/** Failures without records at the supply, detected from effects behind it. */

const evidenceOn = (incident: Incident | undefined, id: string): string =>
  incident?.hypotheses
    .find(({ subject }) => subject?.id === id)
    ?.evidence.map(({ text }) => text)
    .join('\n') ?? '';
const chances = (incident: Incident | undefined, id: string): number =>
  incident?.hypotheses.find(({ subject }) => subject?.id === id)?.probability ?? 0;

/** Two rows of a UPS each side: PDUs with two machines each, all of one service. */
const rows = ['1', '2'].flatMap((row) => [
  `ups|U-L feeds pdu|L${row}`,
  `ups|U-R feeds pdu|R${row}`,
  ...['a', 'b'].flatMap((one) => [
    `pdu|L${row} feeds server|m${row}${one}`,
    `pdu|R${row} feeds server|m${row}${one}`,
    `service|tts runs_on server|m${row}${one}`,
  ]),
]);
const machines = ['m1a', 'm1b', 'm2a', 'm2b'];

test('PDU sags show the transfer of their UPS for all machines behind them without data', async () => {
  const [incident] = await incidentsOf(
    rows.join('\n'),
    {
      events: [
        eventWithMessage(690, 'ups', 'ups_transfer', 'U-L', 'medium', 'UPS on battery: input out of tolerance'),
        eventWithMessage(691, 'pdu', 'voltage_sag', 'L1', 'critical'),
        eventWithMessage(691.2, 'pdu', 'voltage_sag', 'L2', 'critical'),
        ...machines.map((one) => eventWithMessage(695, 'rapl', 'cpu_power_cap', one, 'medium')),
      ],
    },
    metrics('tts'),
  );
  expect(first(incident)?.subject?.id).toBe('U-L');
  expect(evidenceOn(incident, 'U-L')).not.toContain('0 of');
});

test('machines of two PDUs that fail over together incriminate the common supply, not the PDUs', async () => {
  const [incident] = await incidentsOf(
    rows.join('\n'),
    {
      events: [
        eventWithMessage(400, 'pdu', 'voltage_restored', 'R1', 'low'),
        eventWithMessage(400, 'pdu', 'voltage_restored', 'R2', 'low'),
        ...machines.map((one, i) => eventWithMessage(692 + 0.3 * i, 'redfish', 'psu_failover', one, 'high')),
        ...machines.map((one, i) => eventWithMessage(694 + 0.3 * i, 'rapl', 'cpu_power_cap', one, 'medium')),
      ],
    },
    metrics('tts'),
  );
  expect(['U-L', 'U-R']).toContain(devices(incident)[0]?.subject?.id);
  expect(chances(incident, 'U-L') + chances(incident, 'U-R')).toBeGreaterThan(0.5);
});

test('a PDU without a known supply that sags with others of a UPS is no suspect', async () => {
  const links = rows.filter((row) => row !== 'ups|U-L feeds pdu|L2');
  const [incident] = await incidentsOf(
    [...links, 'ups|U-L feeds pdu|L3', 'pdu|L3 feeds server|m3a', 'service|ocr runs_on server|m3a'].join('\n'),
    {
      events: [
        ...['L1', 'L2', 'L3'].map((one, i) => eventWithMessage(691 + 0.1 * i, 'pdu', 'voltage_sag', one, 'critical')),
        ...machines.map((one, i) => eventWithMessage(692.5 + 0.3 * i, 'redfish', 'psu_failover', one, 'high')),
      ],
    },
    metrics('tts'),
  );
  expect(first(incident)?.subject?.id).toBe('U-L');
  expect(chances(incident, 'L2')).toBeLessThan(0.05);
});

test('two machines of one rack that grow hot together: the rack is only where they are, the unit is a suspect', async () => {
  const links = ['x1', 'x2', 'x3'].flatMap((one) => [
    `rack|r9 contains server|${one}`,
    `server|${one} contains gpu|${one}:0`,
    `service|sd-xl runs_on server|${one}`,
  ]);
  const [incident] = await incidentsOf(
    `cooling|CDU-7 feeds rack|r9\n${links.join('\n')}`,
    {
      events: [
        ...['x1', 'x2'].map((one, i) => eventWithMessage(640 + 4 * i, 'redfish', 'temperature_high', one, 'high')),
        ...['x1', 'x2'].map((one, i) => eventWithMessage(670 + 4 * i, 'dcgm', 'thermal_throttle', `${one}:0`, 'high')),
      ],
    },
    metrics('sd-xl'),
  );
  expect(devices(incident)[0]).toMatchObject({ type: 'unobserved_fault', subject: { id: 'CDU-7' } });
});

test('cards that recover together were lost without a record: their leaf switch is a suspect', async () => {
  const cards = [1, 2, 3, 4].map((n) => `gb-${n}/cx7`);
  const links = cards.flatMap((card) => {
    const machine = card.slice(0, 4);
    return [
      `switch|leaf-${Number(machine.slice(3)) < 4 ? 'east' : 'west'} connects nic|${card}`,
      `server|${machine} contains nic|${card}`,
      `service|moe runs_on server|${machine}`,
    ];
  });
  const [incident] = await incidentsOf(
    links.join('\n'),
    { events: cards.slice(0, 3).map((card, i) => eventWithMessage(790 + 0.2 * i, 'ufm', 'link_up', card, 'low')) },
    metrics('moe'),
  );
  expect(devices(incident)[0]).toMatchObject({ type: 'unobserved_fault', subject: { id: 'leaf-east' } });
  expect(evidenceOn(incident, 'leaf-east')).toContain('link up within 0.4 s of each other');
  expect(evidenceOn(incident, 'leaf-east')).toContain('with no recorded cause');
});

test('a switch that lost its links is seen in them, though its nodes are missed only later', async () => {
  const nodes = ['c1', 'c2', 'c3', 'c4'];
  const links = nodes.flatMap((one) => [
    `switch|tor-${one < 'c3' ? 'n' : 's'} connects server|${one}`,
    `switch|leaf-7 connects nic|${one}/ib0`,
    `server|${one} contains nic|${one}/ib0`,
    `node|k-${one} runs_on server|${one}`,
    `service|rag runs_on server|${one}`,
  ]);
  const [incident] = await incidentsOf(
    links.join('\n'),
    {
      events: [
        ...['c3', 'c4'].map((one) => eventWithMessage(300, 'kernel', 'link_up', `${one}/ib0`, 'low')),
        ...['c1', 'c2'].map((one, i) => eventWithMessage(696 + 0.3 * i, 'kernel', 'link_down', `${one}/ib0`, 'high')),
        ...['c1', 'c2'].map((one, i) => eventWithMessage(741 + 3 * i, 'k8s', 'node_not_ready', `k-${one}`, 'high')),
      ],
    },
    metrics('rag'),
  );
  expect(devices(incident)[0]).toMatchObject({ type: 'unobserved_fault', subject: { id: 'tor-n' } });
  expect(evidenceOn(incident, 'tor-n')).toContain('within 0.3 s of each other');
});

test('the same cap on two machines speaks against neither where one of them has a cause of its own', async () => {
  const incidents = await incidentsOf(
    `ups|U feeds pdu|P1\nups|U feeds pdu|P2\npdu|P1 feeds server|one\npdu|P2 feeds server|two\nservice|a runs_on server|one\nservice|b runs_on server|two`,
    {
      events: [
        eventWithMessage(693, 'ilo', 'psu_failure', 'two', 'high'),
        eventWithMessage(694, 'ilo', 'psu_failover', 'two', 'high'),
        eventWithMessage(695, 'rapl', 'cpu_power_cap', 'two', 'medium'),
        eventWithMessage(695, 'rapl', 'cpu_power_cap', 'one', 'medium'),
      ],
    },
    metrics('a'),
  );
  expect(evidenceOn(of(incidents, 'a'), 'one')).not.toContain('at the same moment');
});

test('a machine with an unknown supply fails over with others of a PDU: it may be connected to it', async () => {
  const links = ['a', 'b', 'c'].flatMap((one) => [
    `rack|r1 contains server|${one}`,
    ...['1', '2'].map((side) => `server|${one} contains psu|${one}/PSU-${side}`),
    ...['1', '2'].map((side) => `psu|${one}/PSU-${side} feeds server|${one}`),
    `pdu|LEFT feeds psu|${one}/PSU-1`,
    ...(one === 'c' ? [] : [`pdu|RIGHT feeds psu|${one}/PSU-2`]),
  ]);
  const failovers = (names: readonly string[]) => ({
    events: names.map((one, i) =>
      eventWithMessage(
        692 + 0.2 * i,
        'redfish',
        'psu_failover',
        one,
        'high',
        `Power supply redundancy lost: ${one}/PSU-2 has no input`,
      ),
    ),
  });
  const incidentWith = async (...names: string[]) =>
    of(
      await incidentsOf([...links, 'service|ocr runs_on server|c'].join('\n'), failovers(names), metrics('ocr')),
      'ocr',
    );
  const all = await incidentWith('a', 'b', 'c');
  expect(devices(all)[0]?.subject?.id).toBe('RIGHT');
  expect(evidenceOn(all, 'RIGHT')).toContain('only if RIGHT feeds c, whose supplies are not all in the topology');
  expect(chances(all, 'LEFT')).toBe(0);
  // One other is a coincidence.
  expect(chances(await incidentWith('a', 'c'), 'RIGHT')).toBe(0);
});

test('if a supply of every machine is missing in the topology, none is assumed', async () => {
  const machines = Array.from({ length: 40 }, (_, i) => `m${i}`);
  const links = machines.flatMap((one, i) => [
    ...['1', '2'].map((side) => `server|${one} contains psu|${one}/PSU-${side}`),
    ...['1', '2'].map((side) => `psu|${one}/PSU-${side} feeds server|${one}`),
    `pdu|P${i % 10} feeds psu|${one}/PSU-1`,
  ]);
  const pduLinks = Array.from({ length: 10 }, (_, i) => `ups|U feeds pdu|P${i}`);
  const [incident] = await incidentsOf(
    [...links, ...pduLinks, 'service|ocr runs_on server|m0'].join('\n'),
    { events: machines.map((one, i) => eventWithMessage(692 + 0.01 * i, 'redfish', 'psu_failover', one, 'high')) },
    metrics('ocr'),
  );
  expect(devices(incident)[0]?.subject?.id).toBe('U');
  for (const { evidence } of incident?.hypotheses ?? [])
    expect(evidence.some(({ text }) => text.includes('whose supplies are not all in the topology'))).toBe(false);
});

test('limits that fall while both UPSs are on battery are their doing, not that of silent PDUs', async () => {
  const [incident] = await incidentsOf(
    rows.join('\n'),
    {
      events: [
        eventWithMessage(670, 'ups', 'ups_transfer', 'U-L', 'high', 'on battery: input out of tolerance'),
        eventWithMessage(670.1, 'ups', 'ups_transfer', 'U-R', 'high', 'on battery: input out of tolerance'),
        ...machines.map((one, i) => eventWithMessage(694 + 0.2 * i, 'rapl', 'cpu_power_cap', one, 'medium')),
      ],
    },
    metrics('tts'),
  );
  expect(['U-L', 'U-R']).toContain(first(incident)?.subject?.id);
  expect(first(incident)?.type).toBe('ups_transfer');
  expect(chances(incident, 'U-L') + chances(incident, 'U-R')).toBeGreaterThan(0.5);
});

/** A rack PDU with two supplies per machine, ports of a switch to each, and a map that links machines to what feeds the rack PDU, too. */
const racked = ['k1', 'k2', 'k3', 'k4'];
const rack = [
  'pdu|row-a feeds pdu|rack-pdu',
  'switch|leaf contains port|leaf/p9',
  ...racked.flatMap((one, i) => [
    `pdu|row-a feeds server|${one}`,
    `pdu|rack-pdu feeds server|${one}`,
    ...['PSU1', 'PSU2'].map((psu) => `server|${one} contains psu|${one}/${psu}`),
    `switch|leaf contains port|leaf/p${i}`,
    `port|leaf/p${i} connects server|${one}`,
    `service|tts runs_on server|${one}`,
  ]),
];
/** All supplies of these machines fail, and their ports go down. */
const withoutPower = (names: readonly string[], psus: readonly string[] = ['PSU1', 'PSU2']) =>
  names.flatMap((one, i) => [
    ...psus.map((psu) =>
      eventWithMessage(694, 'redfish', 'psu_failure', one, 'critical', `Power supply ${psu} lost its input`),
    ),
    eventWithMessage(694.1, 'redfish', 'voltage_sag', one, 'high', `${psus[0]}: voltage fell: 0 V`),
    eventWithMessage(694.2, 'syslog', 'link_down', `leaf/p${i}`, 'high', `p${i}: link is down`),
  ]);

test('machines whose supplies fail together lost power, and not their switch, whose ports went down', async () => {
  const [incident] = await incidentsOf(rack.join('\n'), { events: withoutPower(racked) }, metrics('tts'));
  expect(first(incident)?.subject?.id).toBe('rack-pdu');
  expect(chances(incident, 'leaf')).toBeLessThan(0.1);
  // It has one branch: all that it feeds is behind the rack PDU.
  expect(chances(incident, 'row-a')).toBe(0);
});

test('a rack PDU that recorded the loss of its input is the cause of what happened behind it', async () => {
  const lost = eventWithMessage(693.8, 'syslog', 'voltage_sag', 'rack-pdu', 'high', 'Input Power Loss - Active');
  const [incident] = await incidentsOf(rack.join('\n'), { events: [lost, ...withoutPower(racked)] }, metrics('tts'));
  expect(first(incident)).toMatchObject({ type: 'voltage_sag', subject: { id: 'rack-pdu' } });
  expect(evidenceOn(incident, 'rack-pdu')).not.toContain('at the same time on');
});

test('a machine with one supply left harms its service less', async () => {
  const harmOf = async (psus: readonly string[]) => {
    const [incident] = await incidentsOf(rack.join('\n'), { events: withoutPower(['k1'], psus) }, metrics('tts'));
    const failed = devices(incident).find(({ type }) => type === 'psu_failure');
    return failed?.evidence.find(({ kind }) => kind === 'path')?.weight ?? 0;
  };
  expect(await harmOf(['PSU1', 'PSU2'])).toBeGreaterThan(await harmOf(['PSU1']));
});
