import { implausible } from '../../../model/telemetry/plausible-reading.ts';
import { isObject, numberOf, objectOf, objectsOf, textOf } from './format.ts';
import { type Part, plain } from './parts.ts';
import { RANK } from './readings.ts';
import type { RedfishEntity } from './redfish-entity.ts';
import type { Resource } from './resource-tree.ts';
import { isMeasuring, thresholdsOf } from './thresholds.ts';
import { at, chassisId, each, excerpt, of, status, type Walk } from './walk.ts';

/** `Power` of the deprecated model: controls, voltages; supplies are read with their newer selves. */
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
    const thing = walk.machine.of(id);
    const { AllocatedWatts, RequestedWatts } = objectOf(doc['Allocation']);
    const key = (name: string) => `${chassisId(id)}#${name}`;
    addOwn(now, thing, 'hw.power.capacity', doc['CapacityWatts'], key('capacity'));
    addOwn(now, thing, 'hw.power.allocated', AllocatedWatts, key('allocated'));
    addOwn(now, thing, 'redfish.PowerRequestedWatts', RequestedWatts, key('requested'));
  }
}

/** Both models tell these of the chassis as a whole; the older one is first because it says what it consumes too. */
function addOwn(walk: Walk, entity: RedfishEntity, metric: string, value: unknown, key: string, attributes = {}): void {
  const number = numberOf(value);
  if (number === undefined || number === 0) return;
  walk.book.add(key, RANK.old, { entity, quantity: of(metric, 'W'), value: number, time_ns: walk.time_ns, attributes });
}

/** Members may be parts of each other or the same total again: each is a series, and none is ever added to another. */
function readControl(
  walk: Walk,
  resource: Resource,
  thing: RedfishEntity,
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
    walk.remark('0 W of a machine that is not switched off is taken as not reported');
  else if (consumed !== undefined)
    walk.book.add(key('power'), RANK.old, {
      entity: thing,
      quantity: of('hw.power', 'W'),
      value: consumed,
      time_ns: walk.time_ns,
      attributes,
    });
  addOwn(walk, thing, 'hw.power.capacity', control['PowerCapacityWatts'], key('capacity'), attributes);
  addOwn(walk, thing, 'hw.power.allocated', control['PowerAllocatedWatts'], key('allocated'), attributes);
  addOwn(walk, thing, 'redfish.PowerRequestedWatts', control['PowerRequestedWatts'], key('requested'), attributes);
  const { LimitInWatts, LimitException } = objectOf(control['PowerLimit']);
  addOwn(walk, thing, 'hw.power.limit', LimitInWatts, key('limit'), {
    ...attributes,
    exception: textOf(LimitException),
  });
  const metrics = objectOf(control['PowerMetrics']);
  const minutes = numberOf(metrics['IntervalInMin']);
  for (const member of ['AverageConsumedWatts', 'MinConsumedWatts', 'MaxConsumedWatts'])
    addOwn(walk, thing, `redfish.${member}`, metrics[member], key(member), {
      ...attributes,
      interval_minutes: minutes,
    });
}

function isOff(walk: Walk, { id }: Resource): boolean {
  const machine = walk.machine.of(id);
  // A chassis of several nodes draws power for as long as one of them is on.
  const systems = walk.tree.ofType('ComputerSystem').filter((one) => walk.machine.of(one.id) === machine);
  const states = [walk.tree.get(chassisId(id)), ...systems].map((one) => textOf(one?.doc['PowerState']));
  return states.some((state) => /^off$/i.test(state));
}

function readVoltages(walk: Walk, resource: Resource, thing: RedfishEntity): void {
  objectsOf(resource.doc['Voltages']).forEach((voltage, index) => {
    const value = numberOf(voltage['ReadingVolts']);
    if (value === undefined || !isMeasuring(voltage)) return;
    const name = textOf(voltage['Name']) || String(index);
    const attributes = { sensor: name, physical_context: textOf(voltage['PhysicalContext']) };
    const key = sensorNamed(walk, resource.id, 'Voltage', name) ?? `${resource.id}#/Voltages/${index}`;
    const reading = { entity: thing, quantity: of('hw.voltage', 'V'), value, time_ns: walk.time_ns, attributes };
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
  ({ book, time_ns }: Walk, thing: RedfishEntity): Sample =>
  (metric, value, unit = 'W', attributes = {}) => {
    const number = numberOf(value);
    if (number === undefined) return;
    const key = `${thing.id} ${metric} ${JSON.stringify(attributes)}`;
    const reading = { entity: thing, quantity: of(metric, unit), value: number, time_ns, attributes };
    book.add(key, RANK.old, reading, { partOnly: true });
  };

function readOldSupply(walk: Walk, old: Resource['doc'], capacity: number | undefined, sample: Sample): void {
  const input = numberOf(old['PowerInputWatts']);
  const output = numberOf(old['PowerOutputWatts']);
  // Some controllers put a rating where the input should be: believed only when it can be one.
  const impossible =
    input !== undefined &&
    implausible('hw.power.input', input) === undefined &&
    ((output !== undefined && output > input) ||
      (capacity !== undefined && capacity > 0 && input > capacity && !(output !== undefined && output > 0.7 * input)));
  if (impossible) {
    walk.remark(
      'input power beyond what a supply can take or deliver is a rating, not a reading: kept as redfish.PowerInputWatts',
    );
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

function readSupplyMetrics(walk: Walk, thing: RedfishEntity, { doc }: Resource): void {
  const sure = true;
  excerpt(walk, thing, of('hw.power.input', 'W'), doc['InputPowerWatts'], { sure });
  excerpt(walk, thing, of('hw.power.output', 'W'), doc['OutputPowerWatts'], { sure });
  excerpt(walk, thing, of('hw.voltage', 'V'), doc['InputVoltage'], { sure, side: 'input' });
  excerpt(walk, thing, of('hw.current', 'A'), doc['InputCurrentAmps'], { sure, side: 'input' });
  excerpt(walk, thing, of('hw.energy', 'kW.h'), doc['EnergykWh'], { sure });
  excerpt(walk, thing, of('hw.frequency', 'Hz'), doc['FrequencyHz'], { sure });
  excerpt(walk, thing, of('hw.temperature', 'Cel'), doc['TemperatureCelsius'], { sure });
  const rails = [
    ['RailVoltage', of('hw.voltage', 'V')],
    ['RailCurrentAmps', of('hw.current', 'A')],
    ['RailPowerWatts', of('hw.power.output', 'W')],
  ] as const;
  for (const [member, quantity] of rails)
    objectsOf(doc[member]).forEach((rail, index) => {
      excerpt(walk, thing, quantity, rail, { sure, side: `rail ${index}` });
    });
  [doc['FanSpeedPercent'], ...objectsOf(doc['FanSpeedsPercent'])].forEach((fan, index) => {
    if (!isObject(fan)) return;
    excerpt(walk, thing, of('hw.fan.speed_ratio', '%'), fan, { sure, member: `FanSpeedsPercent/${index}` });
    excerpt(walk, thing, of('hw.fan.speed', 'rpm'), fan['SpeedRPM'], { member: `FanSpeedsPercent/${index}/SpeedRPM` });
  });
}
