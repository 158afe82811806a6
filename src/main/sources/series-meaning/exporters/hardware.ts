import { assignedName } from '../../../../model/incident/assigned-name.ts';
import { isMetricName, type MetricName, metrics } from '../../../../model/telemetry/metric.ts';
import { type Reading, reading } from '../../nvidia/reading.ts';
import { namedEntity } from '../../otlp/resources.ts';
import { genericNaming, gpuNaming, serverSubject } from '../naming.ts';
import type { Labels, Naming, Relation, Subject, Surroundings } from '../scraped.ts';
import { unitOf } from '../unit-of.ts';
import { type Exported, type Exporter, inUnit, isOfUnit, nameTable, type Row } from './exporter.ts';

/**
 * States of `hw.status`, as values of our own `hw.status`. The convention has a series per state with 1 for the state that
 * holds; here a component has one series with its state as value.
 */
const states: ReadonlyMap<string, number> = new Map([
  ['ok', 0],
  ['degraded', 1],
  ['predicted_failure', 1],
  ['needs_cleaning', 1],
  ['failed', 2],
]);

const status = (labels: Labels): Reading => {
  const state = labels.get('hw_state');
  if (state === undefined) return reading('hw.status', '1');
  const code = states.get(state);
  // A state that the convention does not list has no severity: kept under a name of its own.
  if (code === undefined) return reading('hw.status.state', '1');
  // Points of 0 repeat what the state that holds states.
  return {
    ...reading('hw.status', '1'),
    dropped: ['hw_state'],
    value: (recorded) => (recorded === 0 ? undefined : code),
  };
};

/** Errors of GPU memory are counted by kind; of other parts they are errors of that part. */
const errors = (labels: Labels): Reading => {
  const type = (labels.get('error_type') ?? '').toLowerCase();
  if (labels.get('hw_type') === 'gpu' && /^(?:un)?corrected$/.test(type))
    return {
      ...reading(type === 'corrected' ? 'hw.gpu.ecc.corrected' : 'hw.gpu.ecc.uncorrected', '{error}'),
      dropped: ['error_type'],
    };
  return reading('hw.errors', '{error}');
};

/**
 * Names of the hardware conventions of OpenTelemetry 1.38 (https://opentelemetry.io/docs/specs/semconv/hardware/) that differ
 * from the agreed metrics in name, unit or meaning. Names without an agreed metric (`hw.temperature.limit`,
 * `hw.network.io`, `hw.gpu.io`, `hw.physical_disk.*` ...) keep theirs.
 */
const convention: Readonly<Record<string, Row>> = {
  hw_status: status,
  hw_errors: errors,
  hw_gpu_utilization: reading('hw.gpu.utilization', '1'),
  // The share that is in use; ours of that name is how busy the memory is.
  hw_gpu_memory_utilization: reading('hw.gpu.memory.usage_ratio', '1'),
  hw_battery_charge: reading('hw.battery.charge', '1'),
  hw_fan_speed_ratio: reading('hw.fan.speed_ratio', '1'),
  hw_host_power: reading('hw.power', 'W'),
  hw_host_energy: reading('hw.energy', 'J'),
  hw_host_ambient_temperature: reading('hw.temperature', 'Cel', { sensor: 'ambient' }),
  hw_host_heating_margin: reading('hw.temperature.margin', 'Cel'),
  hw_power_supply_usage: reading('hw.power', 'W'),
  hw_power_supply_limit: reading('hw.power.capacity', 'W'),
  hw_power_supply_utilization: reading('hw.load', '1'),
  hw_network_up: reading('hw.link.state', '1'),
};

const byConvention = nameTable(convention);
const agreed = nameTable(
  Object.fromEntries(
    Object.keys(metrics).map((name): [string, MetricName] => [name.replaceAll('.', '_'), name as MetricName]),
  ),
);

/** 0.9 of a share is 90 % or 0.9 %: without its unit it stays a number. */
const isShare = ({ metric, unit }: Reading): boolean =>
  unit === '1' && isMetricName(metric) && metrics[metric].unit === '%';

const isOfQuantity = (known: Reading, series: Exported): boolean =>
  isOfUnit(known, series) && !(isShare(known) && unitOf(series.name, series.unit) === '');

function hardwareReading(series: Exported): Reading | undefined {
  const { value: own, isExact } = agreed(series.name);
  const foreign = byConvention(series.name);
  const row = isExact && !foreign.isExact ? undefined : foreign.value;
  const known = typeof row === 'function' ? row(series.labels) : row;
  // In percent it is ours and not the convention's.
  if (known && !(isShare(known) && unitOf(series.name, series.unit) === '%'))
    return known.value || isOfQuantity(known, series) ? inUnit(known, series) : undefined;
  const ours = own === undefined ? undefined : reading(own, metrics[own].unit);
  return ours && isOfUnit(ours, series) ? inUnit(ours, series) : undefined;
}

/** Attributes of the convention by their names with underscores. */
const attributeNames: ReadonlyMap<string, string> = new Map(
  'hw.id hw.type hw.name hw.model hw.vendor hw.serial_number hw.parent gpu.uuid gpu.id faultline.entity.kind faultline.entity.id'
    .split(' ')
    .map((name) => [name.replaceAll('.', '_'), name]),
);

/** Parts of a machine that have a kind of their own. */
const parts: ReadonlySet<string> = new Set(['gpu', 'psu', 'cpu', 'nic', 'cooling']);

function hardwareNaming({ name, labels }: Exported, surroundings: Surroundings): Naming {
  const attributes: Record<string, string> = {};
  for (const [key, value] of labels) attributes[attributeNames.get(key) ?? key] = value;
  const generic = genericNaming(labels, surroundings);
  const scraped = generic.subject.kind === 'server' ? generic.subject.id : (surroundings.host ?? '');
  const machine = assignedName(labels.get('host_name') ?? '') || scraped;
  const named = namedEntity(attributes, machine);
  if (!named) return gpuNaming(name, labels, surroundings) ?? generic;
  const subject: Subject = {
    kind: named.kind,
    id: named.id,
    aliases: named.aliases,
    attributes: named.attributes === '' ? {} : (JSON.parse(named.attributes) as Record<string, string>),
  };
  const isPart = machine !== '' && parts.has(named.kind);
  const relations: Relation[] = isPart ? [{ from: serverSubject(machine), kind: 'contains', to: subject }] : [];
  return { subject, relations, used: new Set(['instance', 'job']) };
}

/** The conventions' names and our own. */
export const hardware: Exporter = {
  title: 'hardware conventions of OpenTelemetry 1.38',
  names: Object.keys(convention),
  owns: (name) => byConvention(name).value !== undefined || agreed(name).value !== undefined,
  reading: hardwareReading,
  naming: hardwareNaming,
};
