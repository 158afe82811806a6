import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendSample } from '../../../model/rows/records.ts';
import type { MetricName } from '../../../model/telemetry/metric.ts';
import type { HostEntities } from './host-entities.ts';
import type { Snapshot, TreeValue } from './snapshot.ts';
import { numberIn } from './zone-rows.ts';

/** hwmon's units: thousandths of degrees, volts and amperes, millionths of watts and joules, rpm. */
const quantities: Readonly<Record<string, { readonly metric: MetricName; readonly divisor: number }>> = {
  temp: { metric: 'hw.temperature', divisor: 1000 },
  in: { metric: 'hw.voltage', divisor: 1000 },
  curr: { metric: 'hw.current', divisor: 1000 },
  fan: { metric: 'hw.fan.speed', divisor: 1 },
  power: { metric: 'hw.power', divisor: 1e6 },
  energy: { metric: 'hw.energy', divisor: 1e6 },
};
const limitFiles = {
  lower_critical: 'lcrit',
  lower_warning: 'min',
  upper_warning: 'max',
  upper_critical: 'crit',
} as const;
/** Chips that measure the whole machine; the power of others is that of a part. */
const WHOLE_MACHINE = /^(acpi_)?power_meter$/;
/** Readings of a missing probe, in degrees: the ends of its scale. */
const plausible = (celsius: number): boolean => celsius > -100 && celsius < 250;

type Files = ReadonlyMap<string, TreeValue>;

export function appendSensors(builder: BatchBuilder, host: HostEntities, snapshot: Snapshot): void {
  for (const [chip, files] of snapshot.chips) appendChip(builder, host, chip, files);
  for (const [zone, files] of snapshot.thermal) {
    const file = files.get('temp');
    const celsius = numberIn(builder, file) / 1000;
    if (!file || !plausible(celsius)) continue;
    appendSample(builder, {
      entity: host.server(),
      metric: 'hw.temperature',
      time_ns: file.time_ns,
      value: celsius,
      attributes: { sensor: files.get('type')?.text || zone, zone },
    });
  }
  appendThrottling(builder, host, snapshot);
}

function appendChip(builder: BatchBuilder, host: HostEntities, chip: string, files: Files): void {
  const name = files.get('name')?.text || chip;
  for (const [file, value] of files) {
    const [, kind = '', number = ''] = /^([a-z]+)(\d+)_(?:input|average)$/.exec(file) ?? [];
    const quantity = Object.hasOwn(quantities, kind) ? quantities[kind] : undefined;
    const raw = quantity ? numberIn(builder, value) : Number.NaN;
    if (!quantity || Number.isNaN(raw)) continue;
    const scaled = raw / quantity.divisor;
    if (kind === 'temp' && !plausible(scaled)) continue;
    const label = files.get(`${kind}${number}_label`)?.text || `${kind}${number}`;
    const cpu = /^Package id (\d{1,4})$/.exec(label)?.[1];
    const part = (kind === 'power' || kind === 'energy') && !WHOLE_MACHINE.test(name);
    appendSample(builder, {
      entity: cpu === undefined ? host.server() : host.cpu(Number(cpu)),
      metric: part ? { name: `hwmon.${kind}`, unit: kind === 'power' ? 'W' : 'J' } : quantity.metric,
      time_ns: value.time_ns,
      value: scaled,
      attributes: {
        sensor: label,
        chip: name,
        device: chip,
        averaged: file.endsWith('_average') || undefined,
        ...limitsOf(builder, files, `${kind}${number}`, quantity.divisor),
      },
    });
  }
}

function limitsOf(builder: BatchBuilder, files: Files, sensor: string, divisor: number): Record<string, number> {
  const limits: Record<string, number> = {};
  for (const [name, file] of Object.entries(limitFiles)) {
    const raw = numberIn(builder, files.get(`${sensor}_${file}`));
    // Drives without a limit answer 65261.85 and -273.15 degrees.
    const scaled = raw / divisor;
    if (Number.isNaN(raw) || (sensor.startsWith('temp') && !plausible(scaled))) continue;
    limits[name] = scaled;
  }
  return limits;
}

/** Counters of logical CPUs; that of the package is the same on all of its CPUs and counts once per package. */
function appendThrottling(builder: BatchBuilder, host: HostEntities, { cpus }: Snapshot): void {
  const packages = new Set<number>();
  for (const [cpu, files] of [...cpus].sort(([a], [b]) => a - b)) {
    const socket = numberIn(builder, files.get('topology/physical_package_id'));
    for (const scope of ['core', 'package'] as const) {
      const file = files.get(`thermal_throttle/${scope}_throttle_count`);
      const value = numberIn(builder, file);
      if (!file || !(value >= 0)) continue;
      const shared = scope === 'package' && socket >= 0;
      if (shared && packages.has(socket)) continue;
      if (shared) packages.add(socket);
      appendSample(builder, {
        entity: host.cpu(socket),
        metric: 'hw.cpu.throttle',
        time_ns: file.time_ns,
        value,
        attributes: shared ? { scope } : { scope, logical_cpu: cpu },
      });
    }
  }
}
