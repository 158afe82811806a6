import { type Reading, reading } from '../../nvidia/reading.ts';
import { gpuNaming, hostNaming } from '../naming.ts';
import type { Labels } from '../scraped.ts';
import { type Exporter, type Row, readings } from './exporter.ts';

const ecc = (kind: 'corrected' | 'uncorrected', memory: string): Reading =>
  reading(`hw.gpu.ecc.${kind}`, '{error}', { memory });
const sensor = (name: string): Reading => reading('hw.temperature', 'Cel', { sensor: name });

/** `clock_type` of `GPU_CLOCK`; the others (data, soc, fabric) have no agreed metric. */
const clocks: ReadonlyMap<string, string> = new Map([
  ['system', 'hw.gpu.clock.sm'],
  ['memory', 'hw.gpu.clock.memory'],
  ['video', 'hw.gpu.clock.video'],
]);
const clock = (labels: Labels): Reading | undefined => {
  const metric = clocks.get((labels.get('clock_type') ?? '').toLowerCase().replace(/^gpu_clock_type_/, ''));
  return metric === undefined ? undefined : reading(metric, 'MHz');
};

const memories = 'total sdma gfx mmhub athub bif hdp xgmi_wafl df smn sem mp0 mp1 fuse umc mca vcn jpeg ih mpio'.split(
  ' ',
);

/**
 * AMD Device Metrics Exporter 1.4 (list of metrics:
 * https://github.com/ROCm/device-metrics-exporter/blob/main/docs/configuration/metricslist.md). Its VRAM is in MiB: an
 * MI300X of 192 GiB has 196592. A prefix of the names is an option; its own examples take `amd_`.
 */
const deviceMetrics: Readonly<Record<string, Row>> = {
  gpu_edge_temperature: sensor('edge'),
  gpu_junction_temperature: sensor('junction'),
  gpu_memory_temperature: reading('hw.gpu.memory.temperature', 'Cel'),
  gpu_hbm_temperature: reading('hw.gpu.memory.temperature', 'Cel', { sensor: 'hbm' }),
  gpu_package_power: reading('hw.power', 'W'),
  gpu_average_package_power: reading('hw.power', 'W', { reading: 'average' }),
  gpu_power_usage: reading('hw.power', 'W', { reading: 'usage' }),
  gpu_energy_consumed: reading('hw.energy', 'uJ'),
  gpu_gfx_activity: reading('hw.gpu.utilization', '%'),
  gpu_umc_activity: reading('hw.gpu.memory.utilization', '%'),
  gpu_voltage: reading('hw.voltage', 'mV', { sensor: 'soc' }),
  gpu_gfx_voltage: reading('hw.voltage', 'mV', { sensor: 'gfx' }),
  gpu_memory_voltage: reading('hw.voltage', 'mV', { sensor: 'memory' }),
  pcie_replay_count: reading('hw.gpu.pcie.replays', '{error}'),
  gpu_clock: clock,
  gpu_total_vram: reading('hw.gpu.memory.limit', 'MiB'),
  gpu_used_vram: reading('hw.gpu.memory.usage', 'MiB'),
  ...Object.fromEntries(
    memories.flatMap((memory): [string, Reading][] => [
      [`gpu_ecc_correct_${memory}`, ecc('corrected', memory)],
      [`gpu_ecc_uncorrect_${memory}`, ecc('uncorrected', memory)],
    ]),
  ),
};

/**
 * amd_smi_exporter, the one before it (https://github.com/amd/amd_smi_exporter): microwatts, thousandths of a degree. The
 * index of the GPU is in a label that has the name of the metric without `amd_`.
 */
const smiExporter: Readonly<Record<string, Row>> = {
  amd_gpu_power: reading('hw.power', 'uW'),
  amd_gpu_power_avg: reading('hw.power', 'uW'),
  amd_gpu_power_cap: reading('hw.power.limit', 'uW'),
  amd_gpu_current_temperature: reading('hw.temperature', 'mCel'),
  amd_gpu_use_percent: reading('hw.gpu.utilization', '%'),
  amd_gpu_memory_use_percent: reading('hw.gpu.memory.utilization', '%'),
  amd_gpu_SCLK: reading('hw.gpu.clock.sm', 'Hz'),
  amd_gpu_MCLK: reading('hw.gpu.clock.memory', 'Hz'),
};

const fluentClock = (labels: Labels): Reading | undefined => {
  const type = labels.get('type');
  if (type === 'graphics') return reading('hw.gpu.clock.sm', 'MHz');
  return type === 'memory' ? reading('hw.gpu.clock.memory', 'MHz') : undefined;
};

/** Fluent Bit 4.2, input `gpu_metrics`, for AMD (https://docs.fluentbit.io/manual/data-pipeline/inputs/gpu-metrics). */
const fluentBit: Readonly<Record<string, Row>> = {
  gpu_utilization_percent: reading('hw.gpu.utilization', '%'),
  gpu_memory_used_bytes: reading('hw.gpu.memory.usage', 'By'),
  gpu_memory_total_bytes: reading('hw.gpu.memory.limit', 'By'),
  gpu_clock_mhz: fluentClock,
  gpu_power_watts: reading('hw.power', 'W'),
  gpu_temperature_celsius: reading('hw.temperature', 'Cel'),
  gpu_fan_speed_rpm: reading('hw.fan.speed', 'rpm'),
  gpu_fan_pwm_percent: reading('hw.fan.speed_ratio', '%'),
};

const ofDevice = readings(deviceMetrics);
const ofSmi = readings(smiExporter);
const ofFluentBit = readings(fluentBit);

const cardLabels = 'gpu_id card card_model card_series card_vendor serial_number productname vendor'.split(' ');

/** Labels that only the exporters of AMD GPUs write. */
const isCard = (labels: Labels): boolean =>
  labels.has('gpu_id') || labels.has('productname') || (labels.has('card') && labels.has('vendor'));

/** Metrics of AMD GPUs. */
export const amd: Exporter = {
  title: 'AMD Device Metrics Exporter 1.4, amd_smi_exporter, Fluent Bit 4.2',
  names: [deviceMetrics, smiExporter, fluentBit].flatMap(Object.keys),
  owns: (name) => /^(?:amd_)?(?:gpu|pcie|xgmi)_/.test(name),
  writes: ({ name, labels }) => name.startsWith('amd_') || isCard(labels),
  reading: (series) =>
    ofSmi(series) ??
    (series.labels.has('card') ? ofFluentBit(series) : undefined) ??
    ofDevice({ ...series, name: series.name.replace(/^amd_/, '') }),
  naming: ({ name, labels }, surroundings) => {
    const own = name.replace(/^amd_/, '');
    return (
      gpuNaming(name, labels, surroundings, {
        index: ['gpu_id', own, 'gpu', 'card'],
        model: ['card_model', 'productname', 'card_series'],
        serial: ['serial_number'],
        job: ['job_id'],
        used: [own, ...cardLabels],
      }) ?? hostNaming(labels, surroundings)
    );
  },
};
