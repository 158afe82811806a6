import { numberOf, objectOf, objectsOf, textOf } from './format.ts';
import type { Part } from './parts.ts';
import { limitsIn, type Quantity, quantityOf, unitSpelling } from './quantity.ts';
import { RANK } from './readings.ts';
import type { RedfishEntity } from './redfish-entity.ts';
import type { Resource } from './resource-tree.ts';
import { isMeasuring, thresholdsOf } from './thresholds.ts';
import { sensibleTime } from './times.ts';
import { chassisId, each, excerpt, healthSample, of, related, type Walk } from './walk.ts';

/** GPU memory has its own metrics, besides those of the whole GPU. */
const ofMemory: Readonly<Record<string, string>> = {
  'hw.temperature': 'hw.gpu.memory.temperature',
  'hw.power': 'hw.gpu.memory.power',
};
export function inMemory(quantity: Quantity): Quantity {
  const metric = Object.hasOwn(ofMemory, quantity.metric) ? ofMemory[quantity.metric]! : undefined;
  return metric === undefined ? quantity : { ...quantity, metric };
}

/** Sensor resources: what they measure, of which part, with their limits. */
export function readSensors(walk: Walk, supplies: readonly Part[]): void {
  for (const [{ id, doc }, now] of each(walk, 'Sensor')) {
    const sensor = id.split('/').at(-1) ?? '';
    const entity = related(now, doc) ?? walk.machine.of(id);
    const { Health, State } = objectOf(doc['Status']);
    // An empty slot is no failure, although some firmware reports its sensors as critical.
    if (/^(Warning|Critical)$/.test(textOf(Health)) && State !== 'Absent')
      healthSample(now, entity, Health, now.time_ns, { sensor });
    const value = numberOf(doc['Reading']);
    if (value === undefined || !isMeasuring(doc)) continue;
    const recorded = quantityOf(doc, walk.remark);
    claimSupply(walk, supplies, id, doc, recorded);
    const isMemory = entity.kind === 'gpu' && /DRAM|HBM|memory/i.test(`${sensor} ${textOf(doc['PhysicalContext'])}`);
    const quantity = isMemory ? inMemory(recorded) : recorded;
    const attributes = {
      sensor,
      name: textOf(doc['Name']),
      physical_context: textOf(doc['PhysicalContext']),
      ...(recordedUnit(doc, quantity) ? { recorded_unit: textOf(doc['ReadingUnits']) } : {}),
    };
    const time_ns = readingTime(now, doc);
    const requested_ns = walk.tree.requestTimes.has(now.time_ns) && time_ns !== now.time_ns ? now.time_ns : undefined;
    const reading = { entity, quantity, value, time_ns, requested_ns, attributes };
    walk.book.add(id, RANK.sensor, reading, { thresholds: limitsIn(thresholdsOf(doc), quantity) });
  }
}

/** Tolerance for a correct clock that is ahead, plus the time of a response. */
const AHEAD_NS = 30_000_000_000n;

/**
 * When a sensor was read: its own time; else when its resource was requested or the tree was recorded. A live feed
 * knows the time of its request and ignores a time in the future.
 */
function readingTime(walk: Walk, doc: Resource['doc']): bigint {
  const stated = sensibleTime(doc['ReadingTime'], walk);
  if (stated === undefined) return walk.time_ns;
  if (!walk.tree.requestTimes.has(walk.time_ns) || stated <= walk.time_ns + AHEAD_NS) return stated;
  walk.remark('sensors state reading times in the future: the time of the request is used');
  return walk.time_ns;
}

/** Sensors called after a supply (`ps1_input_power`, `Power Supply #1 Frequency`) if no PSU shows them as its own. */
function claimSupply(
  walk: Walk,
  supplies: readonly Part[],
  id: string,
  doc: Resource['doc'],
  quantity: Quantity,
): void {
  if (!/^PowerSupply/.test(textOf(doc['PhysicalContext']))) return;
  const name = `${textOf(doc['Name'])} ${textOf(doc['Id'])}`.replace(/_/g, ' ');
  const number = /\b(?:ps|psu|p\/s|power ?supply)[ #]*(\d{1,2})(?!\d)/i.exec(name)?.[1];
  if (number === undefined) return;
  const here = supplies.filter(
    ({ resource, oldResource }) => chassisId((resource ?? oldResource)?.id ?? '') === chassisId(id),
  );
  const [supply, ...others] = here.filter(({ entity }) => /(\d+)\D*$/.exec(entity.id)?.[1] === number);
  if (!supply || others.length > 0) return;
  const side = /standby/i.test(name)
    ? 'standby'
    : /\binput\b|\bin\b/i.test(name)
      ? 'input'
      : /\boutput\b|\bout\b/i.test(name)
        ? 'output'
        : undefined;
  const isMain = quantity.metric === 'hw.power' && (side === 'input' || side === 'output');
  walk.book.claim(
    id,
    supply.entity,
    isMain ? { ...quantity, metric: `hw.power.${side}` } : quantity,
    isMain ? undefined : side,
  );
}

/** Whether the unit contradicts the metric that was derived. */
function recordedUnit(doc: Resource['doc'], quantity: Quantity): boolean {
  const written = textOf(doc['ReadingUnits']);
  return written !== '' && unitSpelling(written) !== quantity.unit;
}

/** EnvironmentMetrics of chassis, processors and memory. */
export function readEnvironment(walk: Walk): void {
  for (const [{ id, doc }, now] of each(walk, 'EnvironmentMetrics')) {
    const owner = id.replace(/\/EnvironmentMetrics$/, '');
    const entity = walk.machine.of(owner);
    const isMemory = /\/Memory\//.test(id);
    // A chassis shows sensors of its parts as its own; a processor's are its own.
    const sure = entity.kind === 'gpu' || entity.kind === 'cpu';
    const part =
      isMemory && entity.kind !== 'gpu' ? { memory: owner.split('/').at(-1) } : partOfServer(walk, owner, entity);
    const read = (member: string, quantity: Quantity, key?: string) =>
      excerpt(now, entity, isMemory && entity.kind === 'gpu' ? inMemory(quantity) : quantity, doc[member], {
        sure,
        attributes: part,
        member,
        ...(key ? { key } : {}),
      });
    read('PowerWatts', of('hw.power', 'W'), /\/Chassis\/[^/]+$/.test(owner) ? `${chassisId(owner)}#power` : undefined);
    read('TemperatureCelsius', of('hw.temperature', 'Cel'));
    read('HumidityPercent', of('hw.humidity', '%'));
    read('DewPointCelsius', of('hw.dew_point', 'Cel'));
    read('PowerLoadPercent', of('hw.load', '%'));
    read('CurrentAmps', of('hw.current', 'A'));
    read('Voltage', of('hw.voltage', 'V'));
    // The same energy in two units is one series.
    const joules = numberOf(objectOf(doc['EnergyJoules'])['Reading']) !== undefined;
    if (joules) read('EnergyJoules', of('hw.energy', 'J'));
    else read('EnergykWh', of('hw.energy', 'kW.h'));
    readLimit(now, entity, doc['PowerLimitWatts'], part);
    objectsOf(doc['FanSpeedsPercent']).forEach((fan, index) => {
      readFanExcerpt(now, entity, fan, `FanSpeedsPercent/${index}`);
    });
  }
}

/** Distinguishes boards of one server. */
function partOfServer(walk: Walk, owner: string, entity: RedfishEntity): Readonly<Record<string, unknown>> {
  if (entity.kind !== 'server' || !/\/Chassis\//.test(owner)) return {};
  return walk.machine.chassisOf(entity) > 1 ? { chassis: owner.split('/').at(-1) } : {};
}

function readLimit(walk: Walk, entity: RedfishEntity, value: unknown, part: Readonly<Record<string, unknown>>): void {
  const limit = objectOf(value);
  const setPoint = numberOf(limit['SetPoint']);
  if (setPoint === undefined || setPoint === 0) return;
  const attributes = {
    ...part,
    allowable_min: numberOf(limit['AllowableMin']),
    allowable_max: numberOf(limit['AllowableMax']),
    default: numberOf(limit['DefaultSetPoint']),
    control_mode: textOf(limit['ControlMode']),
  };
  excerpt(walk, entity, of('hw.power.limit', 'W'), setPoint, { attributes, member: 'PowerLimitWatts' });
}

/** An entry may be a speed in percent or rpm, and its member name may be wrong: the sensor's unit decides. */
function readFanExcerpt(walk: Walk, entity: RedfishEntity, fan: Resource['doc'], place: string): void {
  const source = textOf(fan['DataSourceUri']);
  if (source !== '' && walk.tree.get(source)) return;
  const name = `${textOf(fan['DeviceName'])} ${source}`;
  const attributes = { device: textOf(fan['DeviceName']) };
  for (const [member, expectedUnit] of [
    ['Reading', '%'],
    ['SpeedRPM', 'rpm'],
  ] as const) {
    const value = numberOf(fan[member]);
    if (value === undefined || (member === 'SpeedRPM' && value === numberOf(fan['Reading']))) continue;
    const isPercent = /pwm|percent|duty/i.test(name) || (expectedUnit === '%' && value <= 200);
    const quantity = isPercent ? of('hw.fan.speed_ratio', '%') : of('hw.fan.speed', 'rpm');
    excerpt(walk, entity, quantity, value, { attributes, member: `${place}/${member}` });
  }
}
