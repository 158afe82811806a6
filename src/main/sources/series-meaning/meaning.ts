import { convertUnit } from '../../../base/convert-unit.ts';
import { isMetricName, type MetricName, metrics } from '../../../model/telemetry/metric.ts';
import { dcgmField } from '../nvidia/dcgm-fields.ts';
import { queryField, queryFieldNames } from '../nvidia/query-fields.ts';
import type { Reading } from '../nvidia/reading.ts';
import { genericNaming, gpuNaming, hostNaming, kubernetesNaming } from './naming.ts';
import type { Naming, ScrapedSeries, Surroundings } from './scraped.ts';
import { unitOf } from './unit-of.ts';

/** A scraped series as a Faultline metric. */
export interface Meaning extends Naming {
  readonly metric: string;
  readonly unit: string;
  /** Unit of the recorded numbers; differs from `unit` only where the two convert. */
  readonly recordedUnit: string;
  readonly description: string;
  readonly counter: boolean;
  readonly attributes: Readonly<Record<string, string>>;
}

/** node_exporter and ipmi_exporter: names with a common metric. All others keep their name. */
const hostMetrics: Readonly<Record<string, MetricName>> = {
  node_hwmon_temp_celsius: 'hw.temperature',
  node_hwmon_power_watt: 'hw.power',
  node_hwmon_power_average_watt: 'hw.power',
  node_hwmon_fan_rpm: 'hw.fan.speed',
  node_hwmon_in_volts: 'hw.voltage',
  node_hwmon_curr_amps: 'hw.current',
  node_hwmon_energy_joule_total: 'hw.energy',
  node_hwmon_humidity: 'hw.humidity',
  node_thermal_zone_temp: 'hw.temperature',
  node_rapl_package_joules_total: 'hw.energy',
  node_rapl_core_joules_total: 'hw.energy',
  node_rapl_uncore_joules_total: 'hw.energy',
  node_rapl_dram_joules_total: 'hw.energy',
  node_rapl_psys_joules_total: 'hw.energy',
  node_cpu_core_throttles_total: 'hw.cpu.throttle',
  node_cpu_package_throttles_total: 'hw.cpu.throttle',
  node_network_up: 'hw.link.state',
  ipmi_temperature_celsius: 'hw.temperature',
  ipmi_fan_speed_rpm: 'hw.fan.speed',
  ipmi_fan_speed_ratio: 'hw.fan.speed_ratio',
  ipmi_voltage_volts: 'hw.voltage',
  ipmi_current_amperes: 'hw.current',
  ipmi_power_watts: 'hw.power',
  ipmi_dcmi_power_consumption_watts: 'hw.power',
};
/** Attributes that separate readings of one metric if only the name does, not the labels. */
const zoneOf = (name: string): string | undefined =>
  /^node_(?:rapl|cpu)_(\w+?)_(?:joules|throttles)_total$/.exec(name)?.[1];

/** Ingero writes its OpenTelemetry names with underscores; both ways of exporting are one metric. */
const ingero: Readonly<Record<string, { readonly metric: string; readonly unit: string }>> = {
  system_cpu_utilization: { metric: 'system.cpu.utilization', unit: '1' },
  system_memory_utilization: { metric: 'system.memory.utilization', unit: '1' },
  gpu_cuda_operation_duration: { metric: 'gpu.cuda.operation.duration', unit: 'us' },
  gpu_cuda_operation_duration_microseconds: { metric: 'gpu.cuda.operation.duration', unit: 'us' },
  gpu_cuda_operation_duration_milliseconds: { metric: 'gpu.cuda.operation.duration', unit: 'ms' },
  gpu_cuda_operation_duration_seconds: { metric: 'gpu.cuda.operation.duration', unit: 's' },
  gpu_cuda_operation_count: { metric: 'gpu.cuda.operation.count', unit: '{operation}' },
  gpu_cuda_operation_count_total: { metric: 'gpu.cuda.operation.count', unit: '{operation}' },
  ingero_anomaly_count: { metric: 'ingero.anomaly.count', unit: '{anomaly}' },
  ingero_anomaly_count_total: { metric: 'ingero.anomaly.count', unit: '{anomaly}' },
  gpu_memory_used_bytes: { metric: 'hw.gpu.memory.usage', unit: 'By' },
  gpu_memory_total_bytes: { metric: 'hw.gpu.memory.limit', unit: 'By' },
  gpu_throttle_power_active: { metric: 'gpu.throttle.power_active', unit: '1' },
  gpu_throttle_thermal_active: { metric: 'gpu.throttle.thermal_active', unit: '1' },
  gpu_throttle_sw_active: { metric: 'gpu.throttle.sw_active', unit: '1' },
  gpu_throttle_hw_active: { metric: 'gpu.throttle.hw_active', unit: '1' },
};

/** Suffixes with which nvidia_gpu_exporter marks the unit of a property of nvidia-smi. */
const exporterUnits: Readonly<Record<string, string>> = {
  watts: 'W',
  hz: 'Hz',
  clock_hz: 'Hz',
  bytes: 'By',
  ratio: '1',
  seconds: 's',
  bytes_per_second: 'By/s',
  joules_total: 'J',
};
const queryFieldOf = new Map([...queryFieldNames].map((name) => [name.replace(/[.-]/g, '_').toLowerCase(), name]));

/** `nvidia_smi_power_draw_watts` is `power.draw` in watts. */
function exporterReading(name: string): Reading | undefined {
  const rest = name.slice('nvidia_smi_'.length);
  if (/_mig_|^mig_/.test(rest)) {
    const memory = /^mig_memory_(used|total)_bytes$/.exec(rest)?.[1];
    if (memory) return { metric: memory === 'used' ? 'hw.gpu.memory.usage' : 'hw.gpu.memory.limit', unit: 'By' };
  }
  const ecc = /^ecc_errors_(corrected|uncorrected)_(volatile|aggregate)_(.+)$/.exec(rest);
  if (ecc && !rest.endsWith('threshold_exceeded'))
    return queryField(`ecc.errors.${ecc[1]}.${ecc[2]}.${ecc[3]!.replace(/^sram_/, 'sram.')}`);
  const plain = queryFieldOf.get(rest);
  if (plain !== undefined) return known(plain, undefined);
  for (const [suffix, unit] of Object.entries(exporterUnits)) {
    if (!rest.endsWith(`_${suffix}`)) continue;
    const field = queryFieldOf.get(rest.slice(0, -suffix.length - 1));
    if (field !== undefined) return known(field, unit);
  }
  return undefined;
}

function known(field: string, unit: string | undefined): Reading | undefined {
  const found = queryField(field);
  if (!found || !isMetricName(found.metric)) return undefined;
  return unit === undefined ? found : { ...found, unit };
}

interface Family {
  readonly reading?: Reading | undefined;
  readonly naming: Naming;
}

function familyOf(series: ScrapedSeries, surroundings: Surroundings): Family {
  const { name, labels } = series;
  const generic = () => genericNaming(labels, surroundings);
  if (/^DCGM_|^dcgm_/.test(name))
    return {
      reading: dcgmField(name),
      naming: gpuNaming(name, labels, surroundings) ?? hostNaming(labels, surroundings),
    };
  if (name.startsWith('nvidia_smi_'))
    return {
      reading: exporterReading(name),
      naming: gpuNaming(name, labels, surroundings) ?? hostNaming(labels, surroundings),
    };
  if (/^(node|ipmi)_/.test(name)) {
    const metric = Object.hasOwn(hostMetrics, name) ? hostMetrics[name]! : undefined;
    const zone = zoneOf(name);
    const reading = metric && {
      metric,
      unit: name === 'ipmi_fan_speed_ratio' ? '1' : metrics[metric].unit,
      ...(zone ? { attributes: { zone } } : {}),
    };
    return { reading, naming: hostNaming(labels, surroundings) };
  }
  if (name.startsWith('kube_')) return { naming: kubernetesNaming(name, labels, surroundings) };
  const own = Object.hasOwn(ingero, name) ? ingero[name] : undefined;
  const gpu = labels.has('gpu_uuid') || labels.has('UUID') ? gpuNaming(name, labels, surroundings) : undefined;
  return { reading: own, naming: gpu ?? (own && !labels.has('pod') ? hostNaming(labels, surroundings) : generic()) };
}

/** `_total` and the parts of histograms only grow; for other names it is unknown. */
const grows = (name: string, labels: ReadonlyMap<string, string>): boolean =>
  /_total$/.test(name) ||
  (/_bucket$/.test(name) && labels.has('le')) ||
  /_(seconds|milliseconds|microseconds|ms|bytes|tokens)_(sum|count)$/.test(name);

/** Metric, entity and number format of a series. */
export function meaningOf(series: ScrapedSeries, surroundings: Surroundings): Meaning {
  const { name, labels, type } = series;
  const { reading, naming } = familyOf(series, surroundings);
  const recordedUnit = reading?.unit ?? unitOf(name, series.unit);
  const agreed = reading && isMetricName(reading.metric) ? reading.metric : undefined;
  const convertible = agreed !== undefined && convertUnit(1, recordedUnit, metrics[agreed].unit) !== undefined;
  const attributes: Record<string, string> = { ...reading?.attributes };
  // Sorted: exporters and servers do not agree on an order.
  for (const key of [...labels.keys()].sort()) {
    const value = labels.get(key);
    if (value && !naming.used.has(key)) attributes[key] = value;
  }
  const counter = agreed
    ? metrics[agreed].kind === 'counter'
    : type === 'counter' || (reading?.counter ?? (type === 'unknown' && grows(name, labels)));
  return {
    ...naming,
    // A unit that does not convert would make the common name wrong.
    metric: reading && (agreed === undefined || convertible || type === 'histogram') ? reading.metric : name,
    unit: convertible ? metrics[agreed].unit : recordedUnit,
    recordedUnit,
    description: agreed && convertible ? metrics[agreed].description : series.help,
    counter,
    attributes,
  };
}
