import type { EntityKind } from '../../../../model/entity.ts';
import { type Reading, reading } from '../../nvidia/reading.ts';
import { firstOf } from '../naming.ts';
import type { Labels, Naming, Relation, Subject, Surroundings } from '../scraped.ts';
import { unitOf } from '../unit-of.ts';
import { deviceSubject } from './device-subject.ts';
import type { Exported, Exporter } from './exporter.ts';

/** First words of names, and the kind of device that they are about. */
const kinds: Readonly<Record<string, EntityKind>> = {
  ups: 'ups',
  nut: 'ups',
  network_ups_tools: 'ups',
  apcupsd: 'ups',
  upsd: 'ups',
  pdu: 'pdu',
  rpdu: 'pdu',
  epdu: 'pdu',
  ats: 'pdu',
  sts: 'pdu',
  crac: 'cooling',
  crah: 'cooling',
  cdu: 'cooling',
  chiller: 'cooling',
  cooling: 'cooling',
  in_row: 'cooling',
};
const NAME = new RegExp(`^(?:facility_|dcim_|snmp_)?(${Object.keys(kinds).join('|')})_([a-z0-9_]{2,100})$`);

interface Parsed {
  readonly word: string;
  readonly kind: EntityKind;
  /** What is measured, without the unit at its end. */
  readonly rest: string;
}

function parsed(name: string): Parsed | undefined {
  const match = name.length > 200 ? null : NAME.exec(name.toLowerCase());
  const kind = match && kinds[match[1]!];
  return match && kind ? { word: match[1]!, kind, rest: match[2]! } : undefined;
}

const sideOf = (rest: string): Record<string, string> => {
  const side = /(?:^|_)(input|output|bypass|line|inlet)(?:_|$)/.exec(rest)?.[1];
  return side === undefined ? {} : { side: side === 'line' || side === 'inlet' ? 'input' : side };
};
const sensorOf = (rest: string): Record<string, string> => {
  const sensor = /(?:^|_)(supply|return|inlet|outlet|ambient|room|coolant|facility|secondary|primary)(?:_|$)/.exec(
    rest,
  );
  return sensor ? { sensor: sensor[1]! } : {};
};

/** Words of quantities in the rest of a name, with the unit that they have where none is written; the first that fits counts. */
const quantities: readonly (readonly [words: RegExp, make: (rest: string) => Reading])[] = [
  [/battery.*charge|^charge/, () => reading('hw.battery.charge', '%')],
  [/battery.*(?:runtime|time_?left|remaining)|^(?:runtime|time_?left)/, () => reading('hw.battery.time_left', 's')],
  [/time_?on_?battery/, () => reading('hw.battery.time_on', 's')],
  [/battery.*volt/, () => reading('hw.battery.voltage', 'V')],
  [/battery.*temp/, () => reading('hw.battery.temperature', 'Cel')],
  [/volt(?:age|s)?(?:_|$)/, (rest) => reading('hw.voltage', 'V', sideOf(rest))],
  [/(?:current|amps|amperes)(?:_|$)/, (rest) => reading('hw.current', 'A', sideOf(rest))],
  [/apparent/, () => reading('hw.power.apparent', 'VA')],
  [/power_?factor/, () => reading('hw.power.factor', '1')],
  [/frequency|_hz$/, (rest) => reading('hw.frequency', 'Hz', sideOf(rest))],
  [/energy/, () => reading('hw.energy', 'J')],
  [/humidity/, () => reading('hw.humidity', '%')],
  [/dew_?point/, () => reading('hw.dew_point', 'Cel')],
  [/temp/, (rest) => reading('hw.temperature', 'Cel', sensorOf(rest))],
  [/air_?flow/, () => reading('hw.airflow', 'm3/h')],
  [/flow/, (rest) => reading('hw.coolant.flow', 'L/min', sensorOf(rest))],
  [/pressure/, (rest) => reading('hw.pressure', 'Pa', sensorOf(rest))],
  [/fan.*(?:rpm|speed_rpm)|pump.*rpm/, () => reading('hw.fan.speed', 'rpm')],
  [/fan.*(?:percent|ratio)/, () => reading('hw.fan.speed_ratio', '%')],
  [/load_?(?:watts)?$|load_(?:percent|ratio)/, () => reading('hw.load', '%')],
  [/power|watts/, () => reading('hw.power', 'W')],
];

/** Unit words beyond those of Prometheus. */
const units: readonly (readonly [words: RegExp, unit: string])[] = [
  [/_(?:lpm|litres?_per_minute|liters?_per_minute|l_min)$/, 'L/min'],
  [/_kw$|_kilowatts$/, 'kW'],
  [/_kwh$|_kilowatt_?hours$/, 'kW.h'],
  [/_(?:wh|watt_?hours)$/, 'W.h'],
  [/_va$|_volt_?amperes$/, 'VA'],
  [/_(?:kpa|kilopascals?)$/, 'kPa'],
  [/_bar$/, 'bar'],
  [/_(?:c|degc|degrees_celsius)$/, 'Cel'],
  [/_(?:f|degf|fahrenheit)$/, '[degF]'],
  [/_(?:percentage|pct)$/, '%'],
  [/_minutes$/, 'min'],
];
const unitIn = (name: string, declared: string): string =>
  unitOf(name, declared) || (units.find(([words]) => words.test(name.replace(/_total$/, '')))?.[1] ?? '');

const FIVE_FOR_BATTERY = 5;
const THREE_FOR_MAINS = 3;
/** Codes of `hw.ups.output_source` from a flag that is 1 while the battery feeds. */
const onBattery: Reading = {
  ...reading('hw.ups.output_source', '1'),
  value: (flag) => (flag === 1 ? FIVE_FOR_BATTERY : flag === 0 ? THREE_FOR_MAINS : undefined),
};
/** Flags of NUT's `ups.status` (developer guide, status data): each a series of its own with 1 while it holds. */
const nutFlags: ReadonlyMap<string, Reading> = new Map([
  ['OB', onBattery],
  ['LB', { ...reading('hw.battery.state', '1'), value: (flag) => (flag === 1 ? 3 : 2) }],
]);
const flagOnly = (on: number): number | undefined => (on === 0 || on === 1 ? on : undefined);
/** States by a flag of 0 or 1, by the words of its name. */
const flags: readonly (readonly [words: RegExp, make: (labels: Labels, kind: EntityKind) => Reading | undefined])[] = [
  [/(?:^|_)on_?battery$/, () => onBattery],
  [
    /(?:^|_)status$/,
    (labels) => {
      const flag = firstOf(labels, 'flag', 'status');
      const found = nutFlags.get(flag);
      return found && { ...found, dropped: ['flag', 'status'] };
    },
  ],
  [
    // Bits of apcupsd's STATFLAG, which Telegraf's inputs `apcupsd` and `upsd` keep: 0x8 on line, 0x10 on battery.
    /(?:^|_)status_flags$/,
    () => ({
      ...reading('hw.ups.output_source', '1'),
      value: (mask) => ((mask & 0x10) !== 0 ? FIVE_FOR_BATTERY : (mask & 0x8) !== 0 ? THREE_FOR_MAINS : undefined),
    }),
  ],
  [/outlet(?:_|.*_)(?:state|status|on)$/, () => ({ ...reading('hw.outlet.state', '1'), value: flagOnly })],
  [
    /^(?:unit_|is_|system_)?(?:on|running|operating|power_state)$/,
    (_, kind) => (kind === 'cooling' ? { ...reading('hw.cooling.state', '1'), value: flagOnly } : undefined),
  ],
];

function readingOf({ name, labels, unit }: Exported): Reading | undefined {
  const found = parsed(name);
  if (!found) return undefined;
  const flag = flags.find(([words]) => words.test(found.rest));
  if (flag) return flag[1](labels, found.kind);
  // Settings and limits are no measurements.
  if (
    /(?:^|_)(?:min|max|limit|threshold|setpoint|set_point|nominal|rated|rating|capacity|low|high|alarm|count|info|transfer)(?:_|$)/.test(
      found.rest,
    )
  )
    return undefined;
  const stated = unitIn(name.toLowerCase(), unit);
  const quantity = quantities.find(([words]) => words.test(found.rest));
  // "load" in watts is power.
  const known = quantity?.[1](found.rest);
  if (!known) return undefined;
  if (known.metric === 'hw.load' && (stated === 'W' || stated === 'kW'))
    return { ...reading('hw.power', stated), attributes: sideOf(found.rest) };
  // Without a unit a number of a device may be in any of its MIB's scales.
  return stated === '' ? undefined : { ...known, unit: stated };
}

const partWords = ['outlet', 'breaker', 'psu'] as const;

/** The device that a label calls by the same word, else what was polled. */
function namingOf({ name, labels }: Exported, surroundings: Surroundings): Naming {
  const found = parsed(name);
  const kind = found?.kind ?? 'device';
  const own = found ? firstOf(labels, found.word, `${found.word}_name`, `${found.word}_id`, kind, 'device') : '';
  const target = deviceSubject(kind, labels, surroundings, own);
  const device = target.subject;
  const used = new Set([
    ...target.used,
    ...(own === '' ? [] : [...labels].filter(([, value]) => value === own).map(([key]) => key)),
  ]);
  if (device.id === '') return { subject: device, relations: [], used };
  const rack = labels.get('rack') ?? '';
  const relations: Relation[] =
    rack === '' || kind === 'ups' ? [] : [{ from: { kind: 'rack', id: rack }, kind: 'contains', to: device }];
  for (const part of partWords) {
    const number = labels.get(part) ?? labels.get(`${part}_id`);
    if (number === undefined || number === own) continue;
    const subject: Subject = { kind: part, id: `${device.id}/${part}-${number}` };
    return {
      subject,
      relations: [...relations, { from: device, kind: 'contains', to: subject }],
      used: new Set([...used, part, `${part}_id`]),
    };
  }
  return { subject: device, relations, used };
}

/** Power and cooling of the facility, by the words of their names: exporters for them have no common list of names. */
export const facility: Exporter = {
  title: 'facility exporters (pdu_*, ups_*, crac_*, cdu_*; NUT, apcupsd)',
  names: [],
  owns: (name) => parsed(name) !== undefined,
  writes: (series) => readingOf(series) !== undefined,
  reading: readingOf,
  naming: namingOf,
};
