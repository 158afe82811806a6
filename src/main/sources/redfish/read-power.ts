import { implausible } from '../../../model/telemetry/plausible-reading.ts';
import { isObject, numberOf, objectOf, objectsOf, textOf } from './format.ts';
import { type Part, plain } from './parts.ts';
import { RANK } from './readings.ts';
import type { RedfishEntity } from './redfish-entity.ts';
import type { Resource } from './resource-tree.ts';
import { isMeasuring, thresholdsOf } from './thresholds.ts';
import { at, chassisId, each, excerpt, of, status, type Walk } from './walk.ts';

/** `Power` of the deprecated model: controls, voltages; PSUs are read together with their newer resources. */
export function readPower(walk: Walk): void {
  for (const [resource, now] of each(walk, 'Power')) {
    const entity = walk.machine.of(resource.id);
    const controls = objectsOf(resource.doc['PowerControl']);
    controls.forEach((control, index) => {
      readControl(now, resource, entity, control, index, controls.length > 1);
    });
    readVoltages(now, resource, entity);
  }
  for (const [{ id, doc }, now] of each(walk, 'PowerSubsystem')) {
    const entity = walk.machine.of(id);
    const { AllocatedWatts, RequestedWatts } = objectOf(doc['Allocation']);
    const key = (name: string) => `${chassisId(id)}#${name}`;
    addOwn(now, entity, 'hw.power.capacity', doc['CapacityWatts'], key('capacity'));
    addOwn(now, entity, 'hw.power.allocated', AllocatedWatts, key('allocated'));
    addOwn(now, entity, 'redfish.PowerRequestedWatts', RequestedWatts, key('requested'));
  }
}

/** Both models report these for the whole chassis; the older one is first because it also reports consumption. */
function addOwn(walk: Walk, entity: RedfishEntity, metric: string, value: unknown, key: string, attributes = {}): void {
  const number = numberOf(value);
  if (number === undefined || number === 0) return;
  walk.book.add(key, RANK.old, { entity, quantity: of(metric, 'W'), value: number, time_ns: walk.time_ns, attributes });
}

/** Members may overlap or repeat the total: each is a series, and they are never added up. */
function readControl(
  walk: Walk,
  resource: Resource,
  entity: RedfishEntity,
  control: Resource['doc'],
  index: number,
  several: boolean,
): void {
  if (!isMeasuring(control)) return;
  const name = textOf(control['Name']) || (several ? textOf(control['MemberId']) || String(index) : '');
  const attributes = name === '' ? {} : { control: name };
  const key = (what: string) =>
    index === 0 ? `${chassisId(resource.id)}#${what}` : `${resource.id}#/PowerControl/${index}#${what}`;
  const consumed = numberOf(control['PowerConsumedWatts']);
  if (consumed === 0 && !isOff(walk, resource))
    walk.remark('0 W of a machine that is not switched off is read as not reported');
  else if (consumed !== undefined)
    walk.book.add(key('power'), RANK.old, {
      entity,
      quantity: of('hw.power', 'W'),
      value: consumed,
      time_ns: walk.time_ns,
      attributes,
    });
  addOwn(walk, entity, 'hw.power.capacity', control['PowerCapacityWatts'], key('capacity'), attributes);
  addOwn(walk, entity, 'hw.power.allocated', control['PowerAllocatedWatts'], key('allocated'), attributes);
  addOwn(walk, entity, 'redfish.PowerRequestedWatts', control['PowerRequestedWatts'], key('requested'), attributes);
  const { LimitInWatts, LimitException } = objectOf(control['PowerLimit']);
  addOwn(walk, entity, 'hw.power.limit', LimitInWatts, key('limit'), {
    ...attributes,
    exception: textOf(LimitException),
  });
  const metrics = objectOf(control['PowerMetrics']);
  const minutes = numberOf(metrics['IntervalInMin']);
  for (const member of ['AverageConsumedWatts', 'MinConsumedWatts', 'MaxConsumedWatts'])
    addOwn(walk, entity, `redfish.${member}`, metrics[member], key(member), {
      ...attributes,
      interval_minutes: minutes,
    });
}

function isOff(walk: Walk, { id }: Resource): boolean {
  const machine = walk.machine.of(id);
  // A chassis of several nodes draws power while one of them is on.
  const systems = walk.tree.ofType('ComputerSystem').filter((one) => walk.machine.of(one.id) === machine);
  const states = [walk.tree.get(chassisId(id)), ...systems].map((one) => textOf(one?.doc['PowerState']));
  return states.some((state) => /^off$/i.test(state));
}

function readVoltages(walk: Walk, resource: Resource, entity: RedfishEntity): void {
  objectsOf(resource.doc['Voltages']).forEach((voltage, index) => {
    const value = numberOf(voltage['ReadingVolts']);
    if (value === undefined || !isMeasuring(voltage)) return;
    const name = textOf(voltage['Name']) || String(index);
    const attributes = { sensor: name, physical_context: textOf(voltage['PhysicalContext']) };
    const key = sensorNamed(walk, resource.id, 'Voltage', name) ?? `${resource.id}#/Voltages/${index}`;
    const reading = { entity, quantity: of('hw.voltage', 'V'), value, time_ns: walk.time_ns, attributes };
    walk.book.add(key, RANK.old, reading, { thresholds: thresholdsOf(voltage) });
  });
}

/** The Sensor resource of the same chassis that has the name of a member of the deprecated model. */
export function sensorNamed(walk: Walk, id: string, type: string, name: string): string | undefined {
  const shorten = (text: string) => plain(text.replace(/temperature/gi, 'temp').replace(/[#]/g, ''));
  const wanted = shorten(name);
  return walk.tree
    .ofType('Sensor')
    .find(
      (sensor) =>
        sensor.id.startsWith(`${chassisId(id)}/`) &&
        [type, ''].includes(textOf(sensor.doc['ReadingType'])) &&
        [sensor.doc['Name'], sensor.doc['Id'], sensor.id.split('/').at(-1)].some(
          (one) => shorten(textOf(one)) === wanted,
        ),
    )?.id;
}

/** Supplies of both models. */
export function readSupply(whole: Walk, part: Part): void {
  const { entity, resource, old, oldResource } = part;
  const walk = at(whole, resource ?? oldResource);
  const doc = resource?.doc ?? old ?? {};
  status(walk, entity, doc);
  if (!isMeasuring(doc)) return;
  const capacity = numberOf(doc['PowerCapacityWatts']) ?? numberOf(old?.['PowerCapacityWatts']);
  const sample = sampleOf(walk, entity);
  if (capacity !== undefined && capacity > 0) sample('hw.power.capacity', capacity);
  if (old && isMeasuring(old)) readOldSupply(walk, old, capacity, sampleOf(at(whole, oldResource), entity));
  const line = textOf(doc['LineInputStatus']);
  const code = ['Normal', 'LossOfInput', 'OutOfRange'].indexOf(line);
  if (code >= 0) sample('redfish.LineInputStatus', code, '1');
  const metrics =
    resource &&
    (walk.tree.get(`${resource.id}/Metrics`) ?? walk.tree.get(textOf(objectOf(doc['Metrics'])['@odata.id'])));
  if (metrics) readSupplyMetrics(at(whole, metrics), entity, metrics);
}

type Sample = (metric: string, value: unknown, unit?: string, attributes?: Record<string, unknown>) => void;

const sampleOf =
  ({ book, time_ns }: Walk, entity: RedfishEntity): Sample =>
  (metric, value, unit = 'W', attributes = {}) => {
    const number = numberOf(value);
    if (number === undefined) return;
    const key = `${entity.id} ${metric} ${JSON.stringify(attributes)}`;
    const reading = { entity, quantity: of(metric, unit), value: number, time_ns, attributes };
    book.add(key, RANK.old, reading, { partOnly: true });
  };

function readOldSupply(walk: Walk, old: Resource['doc'], capacity: number | undefined, sample: Sample): void {
  const input = numberOf(old['PowerInputWatts']);
  const output = numberOf(old['PowerOutputWatts']);
  // Some controllers report a rating as the input: accepted only if plausible.
  const impossible =
    input !== undefined &&
    implausible('hw.power.input', input) === undefined &&
    ((output !== undefined && output > input) ||
      (capacity !== undefined && capacity > 0 && input > capacity && !(output !== undefined && output > 0.7 * input)));
  if (impossible) {
    walk.remark('input power above the capacity of a PSU is a rating, not a reading: kept as redfish.PowerInputWatts');
    sample('redfish.PowerInputWatts', input);
  } else sample('hw.power.input', input);
  sample('hw.power.output', output);
  const last = numberOf(old['LastPowerOutputWatts']);
  // May be stale, and zero when never measured.
  if (output === undefined && last !== undefined && last > 0) sample('hw.power.output', last, 'W', { reading: 'last' });
  const volts = numberOf(old['LineInputVoltage']);
  if (volts !== undefined && volts > 0) sample('hw.voltage', volts, 'V', { side: 'input' });
  sample('redfish.EfficiencyPercent', old['EfficiencyPercent'], '%');
}

function readSupplyMetrics(walk: Walk, entity: RedfishEntity, { doc }: Resource): void {
  const sure = true;
  excerpt(walk, entity, of('hw.power.input', 'W'), doc['InputPowerWatts'], { sure });
  excerpt(walk, entity, of('hw.power.output', 'W'), doc['OutputPowerWatts'], { sure });
  excerpt(walk, entity, of('hw.voltage', 'V'), doc['InputVoltage'], { sure, side: 'input' });
  excerpt(walk, entity, of('hw.current', 'A'), doc['InputCurrentAmps'], { sure, side: 'input' });
  excerpt(walk, entity, of('hw.energy', 'kW.h'), doc['EnergykWh'], { sure });
  excerpt(walk, entity, of('hw.frequency', 'Hz'), doc['FrequencyHz'], { sure });
  excerpt(walk, entity, of('hw.temperature', 'Cel'), doc['TemperatureCelsius'], { sure });
  const rails = [
    ['RailVoltage', of('hw.voltage', 'V')],
    ['RailCurrentAmps', of('hw.current', 'A')],
    ['RailPowerWatts', of('hw.power.output', 'W')],
  ] as const;
  for (const [member, quantity] of rails)
    objectsOf(doc[member]).forEach((rail, index) => {
      excerpt(walk, entity, quantity, rail, { sure, side: `rail ${index}` });
    });
  [doc['FanSpeedPercent'], ...objectsOf(doc['FanSpeedsPercent'])].forEach((fan, index) => {
    if (!isObject(fan)) return;
    excerpt(walk, entity, of('hw.fan.speed_ratio', '%'), fan, { sure, member: `FanSpeedsPercent/${index}` });
    excerpt(walk, entity, of('hw.fan.speed', 'rpm'), fan['SpeedRPM'], { member: `FanSpeedsPercent/${index}/SpeedRPM` });
  });
}
