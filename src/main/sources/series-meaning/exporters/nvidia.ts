import { isMetricName } from '../../../../model/telemetry/metric.ts';
import { dcgmField, dcgmSymbols } from '../../nvidia/dcgm-fields.ts';
import { queryField, queryFieldNames } from '../../nvidia/query-fields.ts';
import { type Reading, reading } from '../../nvidia/reading.ts';
import { gpuNaming, hostNaming } from '../naming.ts';
import { serviceNaming } from '../serving-naming.ts';
import { bareName, type Exported, type Exporter, inUnit, type Row, readings } from './exporter.ts';

const naming: Exporter['naming'] = ({ name, labels }, surroundings) =>
  gpuNaming(name, labels, surroundings) ?? hostNaming(labels, surroundings);

/** dcgm-exporter: names of DCGM fields. */
export const dcgmExporter: Exporter = {
  title: 'DCGM fields (dcgm-exporter 4.x)',
  names: dcgmSymbols,
  owns: (name) => /^DCGM_|^dcgm_/.test(name),
  reading: ({ name }) => dcgmField(name) ?? dcgmField(name.replace(/_total$/, '')),
  naming,
};

const eccTypes: ReadonlyMap<string, Reading> = new Map([
  ['sbe', reading('hw.gpu.ecc.corrected', '{error}')],
  ['single_bit', reading('hw.gpu.ecc.corrected', '{error}')],
  ['dbe', reading('hw.gpu.ecc.uncorrected', '{error}')],
  ['double_bit', reading('hw.gpu.ecc.uncorrected', '{error}')],
]);
const violations: ReadonlyMap<string, Reading> = new Map([
  ['power', reading('hw.gpu.throttle.power', 's')],
  ['thermal', reading('hw.gpu.throttle.thermal', 's')],
]);

/**
 * DCGM receiver of the OpenTelemetry Collector and of Google's Ops Agent, version 2
 * (https://cloud.google.com/monitoring/agent/ops-agent/third-party-nvidia). Shares are 0 to 1. Bytes of PCIe and
 * NVLink are counters there and keep their names.
 */
const receiver: Readonly<Record<string, Row>> = {
  gpu_dcgm_utilization: reading('hw.gpu.utilization', '1'),
  gpu_dcgm_temperature: reading('hw.temperature', 'Cel'),
  gpu_dcgm_energy_consumption: reading('hw.energy', 'J'),
  gpu_dcgm_clock_frequency: reading('hw.gpu.clock.sm', 'Hz'),
  gpu_dcgm_memory_bandwidth_utilization: reading('hw.gpu.memory.utilization', '1'),
  gpu_dcgm_memory_bytes_used: (labels) =>
    (labels.get('gpu_memory_state') ?? labels.get('state')) === 'used'
      ? reading('hw.gpu.memory.usage', 'By')
      : undefined,
  gpu_dcgm_clock_throttle_duration_time: (labels) =>
    violations.get(labels.get('gpu_clock_violation') ?? labels.get('violation') ?? ''),
  gpu_dcgm_ecc_errors: (labels) => eccTypes.get(labels.get('gpu_error_type') ?? labels.get('error_type') ?? ''),
};

/** Metrics of the DCGM receiver. */
export const dcgmReceiver: Exporter = {
  title: 'DCGM receiver of the OpenTelemetry Collector',
  names: Object.keys(receiver),
  owns: (name) => /^(?:workload_googleapis_com_)?gpu_dcgm_/.test(name),
  reading: (() => {
    const find = readings(receiver);
    return (series) => find({ ...series, name: series.name.replace(/^workload_googleapis_com_/, '') });
  })(),
  naming,
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
function smiReading(series: Exported): Reading | undefined {
  const rest = series.name.slice('nvidia_smi_'.length);
  if (/_mig_|^mig_/.test(rest)) {
    const memory = /^mig_memory_(used|total)(?:_bytes)?$/.exec(rest)?.[1];
    if (memory) return reading(memory === 'used' ? 'hw.gpu.memory.usage' : 'hw.gpu.memory.limit', 'By');
  }
  const ecc = /^ecc_errors_(corrected|uncorrected)_(volatile|aggregate)_(.+)$/.exec(bareName(rest));
  if (ecc && !rest.endsWith('threshold_exceeded'))
    return queryField(`ecc.errors.${ecc[1]}.${ecc[2]}.${ecc[3]!.replace(/^sram_/, 'sram.')}`);
  const plain = queryFieldOf.get(rest) ?? queryFieldOf.get(rest.replace(/_clock$/, ''));
  if (plain !== undefined) {
    const found = known(plain, undefined);
    return found && inUnit(found, series);
  }
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

/** nvidia_gpu_exporter (https://github.com/utkuozdemir/nvidia_gpu_exporter/blob/main/docs/METRICS.md). */
export const smiExporter: Exporter = {
  title: 'nvidia-smi properties (nvidia_gpu_exporter, Telegraf)',
  names: [...queryFieldOf].flatMap(([name, field]) => (known(field, undefined) ? [`nvidia_smi_${name}`] : [])),
  owns: (name) => name.startsWith('nvidia_smi_'),
  reading: smiReading,
  naming,
};

/**
 * GPUs as Triton measures those that it uses
 * (https://docs.nvidia.com/deeplearning/triton-inference-server/user-guide/docs/user_guide/metrics.html#gpu-metrics).
 */
const ofTriton = {
  nv_gpu_utilization: reading('hw.gpu.utilization', '1'),
  nv_gpu_power_usage: reading('hw.power', 'W'),
  nv_gpu_power_limit: reading('hw.power.limit', 'W'),
  nv_energy_consumption: reading('hw.energy', 'J'),
  nv_gpu_memory_used_bytes: reading('hw.gpu.memory.usage', 'By'),
  nv_gpu_memory_total_bytes: reading('hw.gpu.memory.limit', 'By'),
};

/** The service that reports a GPU runs on it. */
export const tritonGpus: Exporter = {
  title: 'GPUs of Triton',
  names: Object.keys(ofTriton),
  owns: (name) => /^nv_(?:gpu_|energy_consumption)/.test(name),
  reading: readings(ofTriton),
  naming: ({ name, labels }, surroundings) => {
    const gpu = gpuNaming(name, labels, surroundings);
    const service = serviceNaming(labels, surroundings)?.subject;
    if (!gpu || service?.kind !== 'service') return gpu ?? hostNaming(labels, surroundings);
    return { ...gpu, relations: [...gpu.relations, { from: service, kind: 'runs_on', to: gpu.subject }] };
  },
};
