import type { Happening, Subject } from '../state.ts';
import type { Scene } from './scene.ts';

/** Trap and values, as snmptrapd writes them with numbers (-On) or with the names of its MIBs. */
interface Trap {
  readonly oid: string;
  readonly values: readonly (readonly [oid: string, value: string])[];
}

const UPS = '1.3.6.1.2.1.33';
const APC = '1.3.6.1.4.1.318';
const RARITAN = '1.3.6.1.4.1.13742.6';
const apc = (number: number, text: string): Trap => ({
  oid: `.${APC}.0.${number}`,
  values: [[`.${APC}.2.3.3.0`, `STRING: "${text}"`]],
});
const alarm = (added: boolean, number: number): Trap => ({
  oid: `.${UPS}.2.${added ? 3 : 4}`,
  values: [
    [`.${UPS}.1.6.2.1.1.${number}`, `INTEGER: ${number}`],
    [`.${UPS}.1.6.2.1.2.${number}`, `OID: .${UPS}.1.6.3.${number}`],
  ],
});

type Wording = (happening: Happening) => Trap | undefined;

const upsMib: Readonly<Record<string, Wording>> = {
  ups_on_battery: () => ({
    oid: `.${UPS}.2.1`,
    values: [
      [`.${UPS}.1.2.3.0`, 'INTEGER: 8'],
      [`.${UPS}.1.2.2.0`, 'INTEGER: 1'],
    ],
  }),
  ups_on_utility: () => alarm(false, 2),
  ups_low_battery: () => alarm(true, 3),
  ups_output_off: () => alarm(true, 14),
  ups_output_on: () => alarm(false, 14),
  ups_fault: () => alarm(true, 18),
  ups_fault_over: () => alarm(false, 18),
  ups_bypass: () => alarm(true, 9),
  ups_test: () => ({ oid: `.${UPS}.2.2`, values: [[`.${UPS}.1.7.3.0`, 'INTEGER: 1']] }),
};

const apcUps: Readonly<Record<string, Wording>> = {
  ups_on_battery: ({ values }) =>
    apc(
      5,
      Number(values?.['volts'] ?? 0) < 20
        ? 'UPS: On battery power in response to a blackout.'
        : 'UPS: On battery power in response to a deep momentary sag.',
    ),
  ups_on_utility: () => apc(9, 'UPS: No longer on battery power.'),
  ups_low_battery: () =>
    apc(
      7,
      'UPS: The battery power is too low to support the load; if power fails, the UPS will be shut down immediately.',
    ),
  ups_output_off: () => apc(12, 'UPS: Turned off.'),
  ups_output_on: () => apc(30, 'UPS: Turned on.'),
  ups_fault: () => apc(77, 'UPS: An inverter fault exists.'),
  ups_fault_over: () => apc(78, 'UPS: An inverter fault was cleared.'),
  ups_bypass: () => apc(20, 'UPS: In bypass due to an internal fault or overload.'),
  ups_test: () => apc(10, 'UPS: Passed a self-test.'),
};

const rarInlet = (state: number, volts: string | number | undefined): Trap => ({
  oid: `.${RARITAN}.0.61`,
  values: [
    [`.${RARITAN}.5.2.3.1.3.1.1.4`, `INTEGER: ${state}`],
    [`.${RARITAN}.5.2.3.1.4.1.1.4`, `Gauge32: ${volts ?? 230}`],
  ],
});
const pdus: Readonly<Record<'apc' | 'raritan', Readonly<Record<string, Wording>>>> = {
  raritan: {
    pdu_low_voltage: ({ values }) => rarInlet(2, values?.['volts']),
    pdu_voltage_ok: () => rarInlet(4, 230),
    pdu_overload: () => ({ oid: `.${RARITAN}.0.65`, values: [[`.${RARITAN}.5.3.3.1.3.1.1.1`, 'INTEGER: 6']] }),
    pdu_overload_over: () => ({ oid: `.${RARITAN}.0.65`, values: [[`.${RARITAN}.5.3.3.1.3.1.1.1`, 'INTEGER: 4']] }),
    breaker_tripped: () => ({ oid: `.${RARITAN}.0.65`, values: [[`.${RARITAN}.5.3.3.1.3.1.1.15`, 'INTEGER: 0']] }),
    breaker_closed: () => ({ oid: `.${RARITAN}.0.65`, values: [[`.${RARITAN}.5.3.3.1.3.1.1.15`, 'INTEGER: 1']] }),
    pdu_power_back: () => ({ oid: '.1.3.6.1.6.3.1.1.5.1', values: [[`.${RARITAN}.3.2.2.1.13.1`, 'STRING: "PDU"']] }),
  },
  apc: {
    pdu_overload: ({ values }) => apc(276, `Rack PDU: Overload, phase 1. Load is ${values?.['amps']} A.`),
    pdu_overload_over: () => apc(277, 'Rack PDU: Overload cleared, phase 1.'),
    // This maker's card has no trap for its breakers: what is switched off behind them is reported per outlet.
    breaker_tripped: () => apc(269, 'Rack PDU: Outlet off.'),
    breaker_closed: () => apc(268, 'Rack PDU: Outlet on.'),
    pdu_power_back: () => ({
      oid: '.1.3.6.1.6.3.1.1.5.1',
      values: [[`.1.3.6.1.6.3.1.1.4.3.0`, `OID: .${APC}.1.3.4.6`]],
    }),
  },
};

const LIEBERT = 'LIEBERT-GP';
const liebert = (added: boolean, condition: string): Trap => ({
  oid: `${LIEBERT}-NOTIFICATIONS-MIB::lgpEventConditionEntry${added ? 'Added' : 'Removed'}`,
  values: [
    [`${LIEBERT}-CONDITIONS-MIB::lgpConditionId.7`, 'Gauge32: 7'],
    [`${LIEBERT}-CONDITIONS-MIB::lgpConditionDescr.7`, `OID: ${LIEBERT}-CONDITIONS-MIB::${condition}`],
  ],
});
const others: Readonly<Record<string, Wording>> = {
  unit_off: () => liebert(true, 'lgpConditionLossOfAirflow'),
  unit_on: () => liebert(false, 'lgpConditionLossOfAirflow'),
  row_hot: () => liebert(true, 'lgpConditionHighTemperature'),
  row_cool: () => liebert(false, 'lgpConditionHighTemperature'),
  wrong_community: () => ({ oid: '.1.3.6.1.6.3.1.1.5.5', values: [] }),
  switch_up: () => ({
    oid: '.1.3.6.1.6.3.1.1.5.1',
    values: [['.1.3.6.1.6.3.1.1.4.3.0', 'OID: .1.3.6.1.4.1.30065.1.3011']],
  }),
  link_down: ({ values }) => (values ? port(3, values['port'], 2) : undefined),
  link_up: ({ values }) => (values ? port(4, values['port'], 1) : undefined),
  spare_port_down: ({ values }) => port(3, values?.['port'], 2),
};
const port = (kind: number, number: string | number | undefined, state: number): Trap => ({
  oid: `.1.3.6.1.6.3.1.1.5.${kind}`,
  values: [
    [`.1.3.6.1.2.1.2.2.1.1.${number}`, `INTEGER: ${number}`],
    [`.1.3.6.1.2.1.2.2.1.8.${number}`, `INTEGER: ${state === 2 ? 'down(2)' : 'up(1)'}`],
    [`.1.3.6.1.2.1.31.1.1.1.1.${number}`, `STRING: swp${number}`],
  ],
});

/** What a device sends, and which device that is: the switch for its ports. */
function sent(scene: Scene, happening: Happening): readonly [device: string, trap: Trap] | undefined {
  const { site } = scene.run;
  const { subject, values, what } = happening;
  const leaf = values?.['leaf'];
  if (typeof leaf === 'string') {
    const trap = others[what]?.(happening);
    return trap && [leaf, trap];
  }
  const ups = subject.kind === 'ups' ? site.upses.find(({ name }) => name === subject.id) : undefined;
  const pdu = subject.kind === 'pdu' ? site.pdus.find(({ name }) => name === subject.id) : undefined;
  const table = ups ? (ups.vendor === 'apc' ? apcUps : upsMib) : pdu ? pdus[pdu.vendor] : others;
  const trap = (table[what] ?? others[what])?.(happening);
  return trap && [subject.id, trap];
}

/** A switch reports its ports, by their names; other devices report themselves. */
const shownAs = ({ subject, values }: Happening): Subject =>
  typeof values?.['leaf'] === 'string' ? { kind: 'port', id: `${values['leaf']}/swp${values['port']}` } : subject;

/** The log of the trap receiver: its clock, its losses; traps are datagrams, and the way to it may be what failed. */
export function recordTraps(scene: Scene): void {
  const chance = scene.chance('traps');
  const clock = scene.clock('trap receiver');
  const [loss, named] = [chance.pick([0, 0.02, 0.08]), chance.is(0.93)];
  const addresses = new Map<string, string>();
  const lines: (readonly [number, string])[] = [];
  for (const happening of scene.run.journal) {
    const found = sent(scene, happening);
    if (!found || chance.is(loss)) continue;
    const [device, { oid, values }] = found;
    const address = addresses.get(device) ?? `10.20.${addresses.size >> 7}.${(addresses.size & 127) + 10}`;
    addresses.set(device, address);
    const at_s = happening.at_s + chance.exponential(0.4);
    const stamp = scene.iso(clock, at_s, 0).replace('T', ' ').replace('Z', '');
    const ticks = Math.round(8_640_000 + at_s * 100);
    const all = [
      ['.1.3.6.1.2.1.1.3.0', `Timeticks: (${ticks}) 1 day, 0:00:00.00`],
      ['.1.3.6.1.6.3.1.1.4.1.0', `OID: ${oid}`],
      ...values,
    ];
    const head = `${stamp} ${named ? device : '<UNKNOWN>'} [UDP: [${address}]:161->[10.0.0.1]:162]:`;
    lines.push([at_s, `${head}\n${all.map(([name, value]) => `${name} = ${value}`).join('\t')}`]);
    if (named) scene.keep(happening, shownAs(happening));
  }
  // Somebody's desk is always plugged in somewhere.
  for (let k = chance.whole(1, 4); k > 0; k--) {
    const at_s = chance.between(0, scene.run.site.seconds);
    const stamp = scene.iso(clock, at_s, 0).replace('T', ' ').replace('Z', '');
    const { oid, values } = port(4, chance.whole(1, 48), 1);
    const all = [
      ['.1.3.6.1.2.1.1.3.0', 'Timeticks: (91284400) 10 days, 13:34:04.00'],
      ['.1.3.6.1.6.3.1.1.4.1.0', `OID: ${oid}`],
      ...values,
    ];
    lines.push([
      at_s,
      `${stamp} office-access-${chance.whole(1, 3)} [UDP: [10.9.0.${chance.whole(2, 9)}]:161->[10.0.0.1]:162]:\n${all.map(([name, value]) => `${name} = ${value}`).join('\t')}`,
    ]);
  }
  lines.sort(([a], [b]) => a - b);
  scene.files.set('snmptrapd.log', `${lines.map(([, text]) => text).join('\n')}\n`);
}
