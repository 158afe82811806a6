import { rawText } from '../bytes/json-access.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { numberOf, objectOf, objectsOf, textOf } from './format.ts';
import { type Part, plain } from './parts.ts';
import { sensorNamed } from './read-power.ts';
import { inMemory } from './read-sensors.ts';
import { RANK } from './readings.ts';
import { isMeasuring, thresholdsOf } from './thresholds.ts';
import { at, each, excerpt, healthSample, of, related, status, type Walk } from './walk.ts';

/** Temperatures of both models; fans are read as parts. */
export function readThermal(walk: Walk): void {
  for (const [resource, now] of each(walk, 'Thermal')) {
    const { time_ns } = now;
    objectsOf(resource.doc['Temperatures']).forEach((temperature, index) => {
      const value = numberOf(temperature['ReadingCelsius']);
      if (value === undefined || !isMeasuring(temperature)) return;
      const name = textOf(temperature['Name']) || String(index);
      const key = sensorNamed(walk, resource.id, 'Temperature', name) ?? `${resource.id}#/Temperatures/${index}`;
      const attributes = { sensor: name, physical_context: textOf(temperature['PhysicalContext']) };
      const entity = related(now, temperature) ?? walk.machine.of(resource.id);
      const plainly = of('hw.temperature', 'Cel');
      const quantity = entity.kind === 'gpu' && /memory|DRAM|HBM/i.test(name) ? inMemory(plainly) : plainly;
      const reading = { entity, quantity, value, time_ns, attributes };
      if (textOf(walk.tree.get(key)?.doc['ReadingType']) === '') walk.book.claim(key, entity, reading.quantity);
      walk.book.add(key, RANK.old, reading, { thresholds: thresholdsOf(temperature) });
    });
  }
  for (const [{ id, doc }, now] of each(walk, 'ThermalMetrics')) {
    const entity = walk.machine.of(id);
    const quantity = of('hw.temperature', 'Cel');
    for (const [place, value] of Object.entries(objectOf(doc['TemperatureSummaryCelsius'])))
      excerpt(now, entity, quantity, value, { attributes: { place } });
    objectsOf(doc['TemperatureReadingsCelsius']).forEach((value, index) => {
      const attributes = { device: textOf(value['DeviceName']) };
      excerpt(now, entity, quantity, value, { attributes, member: `TemperatureReadingsCelsius/${index}` });
    });
  }
  readLeakDetectors(walk);
  readBatteries(walk);
}

/** A leak at the time of the recording becomes an event at once, without waiting for a second poll. */
function readLeakDetectors(walk: Walk): void {
  for (const [{ id, doc }, now] of each(walk, 'LeakDetector')) {
    const { time_ns } = now;
    const entity = walk.machine.of(id);
    const detector = textOf(doc['Id']) || (id.split('/').at(-1) ?? '');
    const state = textOf(doc['DetectorState']);
    const leaks = /^(Critical|LeakDetected|Leak)$/i.test(state);
    healthSample(now, entity, leaks ? 'Critical' : state, time_ns, { leak_detector: detector });
    if (!leaks || !walk.memory.isNew(`leak ${id}`)) continue;
    appendEvent(walk.builder, {
      entity: walk.sampler.entity(entity),
      time_ns,
      type: 'coolant_leak',
      severity: 'critical',
      message: `leak detector ${textOf(doc['Name']) || detector}: ${state}`,
      origin: 'redfish',
      attributes: { leak_detector: detector, observed: 'state' },
      raw: rawText(doc),
    });
  }
}

function readBatteries(walk: Walk): void {
  for (const [{ id, doc }, now] of each(walk, 'Battery')) {
    const entity = walk.machine.of(id);
    const attributes = { battery: textOf(doc['Id']) };
    status(now, entity, doc, attributes);
    if (isMeasuring(doc))
      excerpt(now, entity, of('redfish.StateOfHealthPercent', '%'), doc['StateOfHealthPercent'], { attributes });
  }
  for (const [{ id, doc }, now] of each(walk, 'BatteryMetrics')) {
    const entity = walk.machine.of(id);
    const attributes = { battery: id.split('/').at(-2) };
    const read = (metric: string, unit: string, value: unknown, side?: string) =>
      excerpt(now, entity, of(metric, unit), value, { attributes, sure: true, ...(side ? { side } : {}) });
    read('hw.battery.charge', '%', doc['ChargePercent']);
    read('hw.battery.temperature', 'Cel', doc['TemperatureCelsius']);
    read('hw.battery.voltage', 'V', doc['InputVoltage'], 'input');
    read('hw.battery.current', 'A', doc['InputCurrentAmps'], 'input');
    objectsOf(doc['OutputVoltages']).forEach((value, i) => {
      read('hw.battery.voltage', 'V', value, `output ${i}`);
    });
    objectsOf(doc['OutputCurrentAmps']).forEach((value, i) => {
      read('hw.battery.current', 'A', value, `output ${i}`);
    });
    read('redfish.StoredEnergyWattHours', 'W.h', doc['StoredEnergyWattHours']);
    read('redfish.DischargeCycles', '{cycle}', doc['DischargeCycles']);
  }
}

/** Fans of both models, and the sensors with the same name. */
export function readFan(whole: Walk, part: Part): void {
  const { entity, resource, old } = part;
  const walk = at(whole, resource ?? part.oldResource);
  const doc = resource?.doc ?? old ?? {};
  status(walk, entity, doc);
  if (!isMeasuring(doc)) return;
  claimSensors(walk, part);
  const add = (value: unknown, isPercent: boolean, thresholds = {}) => {
    const number = numberOf(value);
    if (number === undefined) return;
    const quantity = isPercent ? of('hw.fan.speed_ratio', '%') : of('hw.fan.speed', 'rpm');
    const reading = { entity, quantity, value: number, time_ns: walk.time_ns };
    walk.book.add(`${entity.id} ${quantity.metric}`, RANK.old, reading, { partOnly: true, thresholds });
  };
  if (resource) {
    const speed = objectOf(resource.doc['SpeedPercent']);
    excerpt(walk, entity, of('hw.fan.speed_ratio', '%'), speed, { sure: true });
    add(speed['SpeedRPM'], false);
    excerpt(walk, entity, of('hw.power', 'W'), resource.doc['PowerWatts'], { sure: true });
  }
  if (old && isMeasuring(old)) {
    const reading = old['Reading'] ?? old['ReadingRPM'];
    const unit = textOf(old['ReadingUnits']) || textOf(old['Units']);
    // Without a unit: no fan runs at 200 rpm or less, and none above 200 percent.
    const isPercent = unit === '' ? (numberOf(reading) ?? 0) <= 200 && !('ReadingRPM' in old) : /percent|%/i.test(unit);
    add(reading, isPercent, thresholdsOf(old));
  }
}

function claimSensors(walk: Walk, { entity, resource, old, oldResource }: Part): void {
  const label = textOf(objectOf(objectOf(resource?.doc['Location'])['PartLocation'])['ServiceLabel']);
  const names = new Set(
    [resource?.doc['Id'], resource?.doc['Name'], old?.['Name'], old?.['FanName'], label].map((name) =>
      plain(textOf(name)),
    ),
  );
  names.delete('');
  const chassis = (resource ?? oldResource)?.id.replace(/\/(ThermalSubsystem|Thermal)\b.*$/, '') ?? '';
  for (const sensor of walk.tree.ofType('Sensor')) {
    if (chassis !== '' && !sensor.id.startsWith(`${chassis}/`)) continue;
    const type = textOf(sensor.doc['ReadingType']);
    if (!/^(Rotational|Percent)$/.test(type)) continue;
    if (![sensor.doc['Id'], sensor.doc['Name']].some((name) => names.has(plain(textOf(name))))) continue;
    walk.book.claim(sensor.id, entity, type === 'Percent' ? of('hw.fan.speed_ratio', '%') : of('hw.fan.speed', 'rpm'));
  }
}
