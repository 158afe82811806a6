import { expect, test } from 'vitest';
import { severityWeight } from '../../src/core/analysis/causality/event-traits.ts';
import type { EventFact } from '../../src/core/store/facts/reader.ts';
import { readDetails } from '../../src/main/sources/event-details/read-details.ts';
import type { Incident } from '../../src/model/incident/incident.ts';
import type { EventType } from '../../src/model/telemetry/event-catalog.ts';
import { accused, devices, eventWithMessage, healthy, incidentsOf, metrics, of } from '../support/by-hand.ts';
import { at } from '../support/scenario.ts';

/** Single pieces of evidence, each in a small incident: its text and its sign. */

const evidence = (incident: Incident | undefined, of: (one: Incident['hypotheses'][number]) => boolean) =>
  incident?.hypotheses.find(of)?.evidence ?? [];
const on = (incident: Incident | undefined, id: string) => evidence(incident, ({ subject }) => subject?.id === id);
const weightOf = (list: ReturnType<typeof on>, text: RegExp): number =>
  list.filter((one) => text.test(one.text)).reduce((sum, { weight }) => sum + weight, 0);

test('what was corrected, is spared by redundancy, or concerns a port that nothing uses, is not serious', () => {
  const weightFor = (type: EventType, message: string): number =>
    severityWeight({
      event_id: 1,
      original_id: 'e1',
      time_ns: 0n,
      clock_uncertainty_ns: 0n,
      source_id: 1,
      entity: 1,
      device_id: 'x',
      type,
      origin: 'kernel',
      severity: 0,
      message,
      details: readDetails({ type, message, attributes: {} }),
    } satisfies EventFact);
  for (const [type, message] of [
    ['machine_check', 'mce: [Hardware Error]: Corrected error, no action required.'],
    ['pcie_error', 'AER: Multiple Corrected error received: 0000:17:00.0'],
    ['memory_error', 'EDAC MC0: 1 CE correctable error on CPU_SrcID#0'],
    ['fan_failure', 'Fan 2B failed; redundancy maintained'],
    ['cooling_failure', 'Pump 1 stopped, pump 2 took over'],
    ['link_down', 'Management interface down'],
    ['outlet_off', 'Outlet 12 (spare) off'],
    ['drive_failure', 'Predictive failure reported for Bay 4'],
    ['cpu_power_cap', 'long_term power limit of package-0: 350 W to 340 W'],
    ['power_cap_applied', 'power limit 700 W -> 690 W'],
  ] as const)
    expect(weightFor(type, message), message).toBeLessThan(0.2);
  for (const [type, message] of [
    ['machine_check', 'mce: [Hardware Error]: Uncorrected error, bank 7'],
    ['pcie_error', 'AER: Uncorrectable (Fatal) error received'],
    ['memory_error', 'EDAC MC0: 1 UE un-correctable error'],
    ['memory_error', 'error could not be corrected: not correctable'],
    ['fan_failure', 'Fan redundancy lost'],
    ['psu_failure', 'Redundancy Degraded from Fully Redundant'],
    ['fan_failure', 'Fans are not fully redundant'],
    ['link_down', 'Ethernet1/7 down, no spare uplink'],
    ['link_down', 'Ethernet1/7 down'],
    ['cpu_power_cap', 'long_term power limit of package-0: 350 W to 200 W'],
    ['cpu_power_cap', 'Server power limit set to 988 W'],
  ] as const)
    expect(weightFor(type, message), message).toBe(1);
  expect(weightFor('thermal_throttle', 'software thermal slowdown')).toBeLessThan(
    weightFor('thermal_throttle', 'hardware thermal slowdown'),
  );
});

test('a process that is killed for memory spares its neighbours, which are no evidence against it', async () => {
  const links =
    'service|etl runs_on server|n1\nservice|api runs_on server|n1\nservice|mail runs_on server|n1\nserver|n1 contains gpu|n1:0';
  const killed = await incidentsOf(
    links,
    {
      events: [
        eventWithMessage(694, 'kernel', 'out_of_memory', 'n1', 'high', 'Out of memory: Killed process 77 (loader)'),
      ],
    },
    metrics('etl'),
    healthy('api'),
    healthy('mail'),
  );
  expect(weightOf(on(of(killed, 'etl'), 'n1'), /remained healthy/)).toBe(0);
  const rebooted = await incidentsOf(
    links,
    { events: [eventWithMessage(694, 'kernel', 'host_rebooted', 'n1', 'high')] },
    metrics('etl'),
    healthy('api'),
    healthy('mail'),
  );
  expect(weightOf(on(of(rebooted, 'etl'), 'n1'), /remained healthy/)).toBeLessThan(-1);
});

const six = [1, 2, 3, 4, 5, 6].map((n) => `s${n}`);
const rack = six.map((one) => `switch|sw connects server|${one}\nservice|rag runs_on server|${one}`).join('\n');

test('a switch event about one port concerns one of its links; about several, as many', async () => {
  const chanceWith = async (...messages: string[]) => {
    const [incident] = await incidentsOf(
      rack,
      {
        events: [
          ...messages.map((message, i) => eventWithMessage(690 + 0.1 * i, 'snmp', 'link_flap', 'sw', 'high', message)),
          ...['s1', 's2', 's3'].map((one) => eventWithMessage(692, 'kernel', 'link_down', one, 'high')),
        ],
      },
      metrics('rag'),
    );
    const list = on(incident, 'sw');
    return weightOf(list, /leads to|nothing known leads/) + weightOf(list, /^explains/);
  };
  const one = await chanceWith('Ethernet1/5 flapped');
  const many = await chanceWith('Ethernet1/5 flapped', 'Ethernet1/6 flapped', 'Ethernet1/7 flapped');
  const all = await chanceWith('Symbol errors on ports 1 to 6');
  expect(one).toBeLessThan(many - 0.3);
  expect(many).toBeLessThan(all);
});

test('a batch pod that starts beside a service is a lead, and no more', async () => {
  const [incident] = await incidentsOf(
    'service|tts runs_on server|g1\npod|batch/nightly runs_on server|g1\nserver|g1 contains gpu|g1:0',
    { events: [eventWithMessage(692, 'k8s', 'pod_started', 'batch/nightly', 'low', 'Started container main')] },
    metrics('tts'),
  );
  const lead = incident?.hypotheses.find(({ subject }) => subject?.id === 'batch/nightly');
  expect(lead?.probability).toBeGreaterThan(0.02);
  expect(lead?.probability).toBeLessThan(0.6);
});

test('a warning of a cooling unit explains many machines that throttle, and hardly one of six', async () => {
  const links = six.flatMap((one) => [
    `rack|r contains server|${one}`,
    `server|${one} contains gpu|${one}:0`,
    `service|rag runs_on server|${one}`,
  ]);
  const judged = async (...hot: string[]) => {
    const [incident] = await incidentsOf(
      `cooling|cdu feeds rack|r\n${links.join('\n')}`,
      {
        events: [
          eventWithMessage(600, 'bms', 'temperature_high', 'cdu', 'medium'),
          ...six.map((one) => eventWithMessage(610, 'redfish', 'bmc_event', one, 'low')),
          ...hot.map((one) =>
            eventWithMessage(694, 'dcgm', 'thermal_throttle', `${one}:0`, 'high', 'hardware thermal slowdown'),
          ),
        ],
      },
      metrics('rag'),
    );
    const first = incident?.hypotheses[0]?.subject?.id;
    return { first, explained: weightOf(on(incident, 's1:0'), /itself explained by temperature high/) };
  };
  const alone = await judged('s1');
  expect(alone.explained).toBeGreaterThan(-1);
  expect(alone.first).toBe('s1:0');
  expect((await judged(...six.slice(0, 5))).first).toBe('cdu');
});

test('one measurement twice as bad may be chance, one ten times as bad is none', async () => {
  const chanceOf = async (p99: number) => {
    const [incident] = await incidentsOf(
      'service|api runs_on server|n1\nserver|n1 contains gpu|n1:0',
      { events: [eventWithMessage(100, 'redfish', 'bmc_event', 'n1', 'low')] },
      metrics('api', { onset: 700, end: 705, p99, errors: 0.1, rps: 140 }),
    );
    return weightOf(
      evidence(incident, ({ type }) => type === 'no_physical_cause'),
      /did worse in 1 measurement/,
    );
  };
  expect(await chanceOf(1300)).toBeGreaterThan(3 * (await chanceOf(5000)));
});

test('an impact of two hundred thousand measurements is reported like one of ten', async () => {
  const [incident] = await incidentsOf(
    'service|api runs_on server|n1\nserver|n1 contains gpu|n1:0',
    { events: [eventWithMessage(100, 'redfish', 'bmc_event', 'n1', 'low')] },
    metrics('api', { onset: 700, end: 2_000_000, to: 2_000_700 }),
  );
  expect(incident?.hypotheses.length).toBeGreaterThan(1);
});

test('a data source with few events may poll late: a PDU sag six seconds after its breaker counts as immediate', async () => {
  const links = ['s1', 's2', 's3'].map((one) => `pdu|P feeds server|${one}\nservice|rag runs_on server|${one}`);
  const [incident] = await incidentsOf(
    `breaker|Q3 feeds pdu|P\n${links.join('\n')}`,
    {
      events: [
        eventWithMessage(688, 'snmp', 'breaker_trip', 'Q3', 'medium'),
        eventWithMessage(694, 'snmp', 'voltage_sag', 'P', 'critical'),
        ...['s1', 's2', 's3'].map((one) => eventWithMessage(695, 'redfish', 'psu_failover', one, 'high')),
      ],
    },
    metrics('rag'),
  );
  expect(incident?.hypotheses[0]).toMatchObject({ type: 'breaker_trip', subject: { id: 'Q3' } });
});

test('a limit lowered a little on another machine is no sign that both hang on one source', async () => {
  const links = ['a', 'b'].flatMap((one) => [`pdu|P feeds server|${one}`, `service|ocr runs_on server|${one}`]);
  const incidentWith = async (message: string) => {
    const capped = eventWithMessage(696, 'rapl', 'cpu_power_cap', 'a', 'high', 'package limit 350 W to 180 W');
    const other = eventWithMessage(694, 'rapl', 'cpu_power_cap', 'b', 'medium', message);
    return of(await incidentsOf(links.join('\n'), { events: [capped, other] }, metrics('ocr')), 'ocr');
  };
  expect(devices(await incidentWith('package limit 350 W to 190 W'))[0]?.subject?.id).toBe('P');
  const mild = await incidentWith('package limit 350 W to 340 W');
  expect(devices(mild)[0]?.subject?.id).toBe('a');
  expect(weightOf(on(mild, 'a'), /at the same time on b/)).toBe(0);
  expect(on(mild, 'P')).toEqual([]);
});

/** `hw.power` of hosts every ten seconds for twenty minutes; one of them falls to half when the trouble begins. */
const power = (names: readonly string[], fallen: string) => ({
  resourceMetrics: names.map((name, host) => ({
    resource: { attributes: [{ key: 'host.name', value: { stringValue: name } }] },
    scopeMetrics: [
      {
        metrics: [
          {
            name: 'hw.power',
            unit: 'W',
            gauge: {
              dataPoints: Array.from({ length: 120 }, (_, i) => ({
                timeUnixNano: String(BigInt(Date.parse(at(10 * i))) * 1_000_000n),
                asDouble: (name === fallen && i >= 70 ? 2000 : 4000) + 20 * Math.sin((host + 1) * i * i),
              })),
            },
          },
        ],
      },
    ],
  })),
});

test('a machine that alone lost half its power, without an event, is named but not the verdict', async () => {
  const names = ['a', 'b', 'c', 'd'];
  const links = names.flatMap((one) => [`rack|r contains node|${one}`, `service|ocr runs_on node|${one}`]);
  const incident = of(await incidentsOf(links.join('\n'), power(names, 'b'), metrics('ocr')), 'ocr');
  expect(incident?.hypotheses.slice(0, 3).some(({ subject }) => subject?.id === 'b')).toBe(true);
  const found = on(incident, 'b').map(({ text }) => text);
  expect(found).toContain('prior: metrics of b changed without a recorded event');
  expect(
    found.some((text) =>
      /^hw\.power of b fell from [34]\d{3} to [12]\d{3} W during the impact, unlike its peers/.test(text),
    ),
  ).toBe(true);
  for (const one of ['a', 'c', 'd']) expect(on(incident, one)).toEqual([]);
  expect(accused(incident)).toBeLessThan(0.5);
  const still = of(await incidentsOf(links.join('\n'), power(names, ''), metrics('ocr')), 'ocr');
  expect(on(still, 'b')).toEqual([]);
});
