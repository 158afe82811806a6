import { type Json, normalizeId, numberOf, objectOf, objectsOf, textOf } from './format.ts';
import { propertyOf } from './properties.ts';
import type { Reading } from './readings.ts';
import type { Resource } from './resource-tree.ts';
import { sensibleTime } from './times.ts';
import { each, healthSample, of, type Walk } from './walk.ts';

/**
 * Metric reports. A report is a history: one metric may have many values at different times; numbers are texts.
 */
export function* readReports(walk: Walk): Generator<void> {
  for (const [report, now] of each(walk, 'MetricReport')) {
    const reported = sensibleTime(report.doc['Timestamp'], walk);
    for (const value of objectsOf(report.doc['MetricValues'])) {
      readValue(now, report, value, reported);
      yield;
    }
  }
}

function readValue(walk: Walk, report: Resource, value: Json, reported: bigint | undefined): void {
  if (objectOf(objectOf(value['Oem'])['Nvidia'])['MetricValueStale'] === true) {
    walk.remark('values that a metric report marks as stale are left out');
    return;
  }
  const time_ns = sensibleTime(value['Timestamp'], walk) ?? reported ?? walk.time_ns;
  const [address = '', pointer = ''] = splitProperty(textOf(value['MetricProperty']));
  if (/\/?Status\/Health$/.test(pointer))
    healthSample({ ...walk, place: address }, walk.machine.of(address), value['MetricValue'], time_ns);
  else {
    const reading =
      pointer === '' ? sensorReading(walk, address, value) : propertyReading(walk, address, pointer, value);
    const found = reading ?? named(walk, report, value, address, pointer);
    const place =
      pointer === '' ? address : `${address}#/${pointer.replace(/^\//, '').replace(/\/(Reading|SetPoint)$/, '')}`;
    if (found) walk.sampler.sample({ ...found, time_ns, place });
    else if (value['MetricValue'] !== null) walk.remark('texts and settings in metric reports are left out');
  }
}

/** Before and after the `#`; some controllers write a path into the resource without it. */
function splitProperty(text: string): string[] {
  const id = normalizeId(text);
  return id.includes('#') ? id.split('#') : [id, ''];
}

type Found = Omit<Reading, 'time_ns'>;

function sensorReading(walk: Walk, address: string, value: Json): Found | undefined {
  const meaning = walk.book.meaning(address);
  const number = numberOf(value['MetricValue']);
  return meaning && number !== undefined ? { ...meaning, value: number } : undefined;
}

function propertyReading(walk: Walk, address: string, pointer: string, value: Json): Found | undefined {
  const owner = address.replace(/\/(ProcessorMetrics|MemoryMetrics|EnvironmentMetrics|Metrics|Oem\/.*)$/, '');
  const entity = walk.machine.of(owner);
  const path = pointer.replace(/^\//, '');
  if (/EnvironmentMetrics$/.test(address)) {
    const number = numberOf(value['MetricValue']);
    const known: Record<string, ReturnType<typeof of>> = {
      'PowerWatts/Reading': of('hw.power', 'W'),
      'TemperatureCelsius/Reading': of('hw.temperature', 'Cel'),
      'EnergyJoules/Reading': of('hw.energy', 'J'),
      'EnergykWh/Reading': of('hw.energy', 'kW.h'),
      'PowerLimitWatts/SetPoint': of('hw.power.limit', 'W'),
    };
    const quantity = Object.hasOwn(known, path) ? known[path] : undefined;
    if (quantity && number !== undefined) return { entity, quantity, value: number };
  }
  const type = /MemoryMetrics$/.test(address) ? 'MemoryMetrics' : 'ProcessorMetrics';
  const property = propertyOf(entity, type, path, value['MetricValue']);
  if (!property) return undefined;
  const memory = /\/Memory\//.test(address) && entity.kind !== 'gpu' ? { memory: owner.split('/').at(-1) } : {};
  return {
    entity,
    quantity: property.quantity,
    value: property.value,
    attributes: { ...memory, ...property.attributes },
  };
}

/** A metric with only a name: `CPUUtil` of the machine, or a sensor that the tree does not contain. */
function named(walk: Walk, report: Resource, value: Json, address: string, pointer: string): Found | undefined {
  const number = numberOf(value['MetricValue']);
  const name = textOf(value['MetricId']) || address.split('/').at(-1) || '';
  if (number === undefined || pointer !== '') return undefined;
  const entity = address === '' ? walk.machine.primary : walk.machine.of(address);
  const attributes = address === '' ? {} : { sensor: address.split('/').at(-1) };
  const unit = /util|percent/i.test(name) ? '%' : '';
  return {
    entity,
    quantity: of(`redfish.${name || textOf(report.doc['Id'])}`, unit),
    value: number,
    attributes,
  };
}
