import { type Reading, reading } from '../../nvidia/reading.ts';
import { gpuNaming, hostNaming } from '../naming.ts';
import type { Labels } from '../scraped.ts';
import { type Exporter, type Row, readings } from './exporter.ts';

const temperature =
  (attributes: Readonly<Record<string, string>>) =>
  (labels: Labels): Reading =>
    labels.get('location') === 'mem'
      ? reading('hw.gpu.memory.temperature', 'Cel', attributes)
      : reading('hw.temperature', 'Cel', attributes);

/** The frequency that was asked for is none that the GPU had. */
const frequency = (labels: Labels): Reading | undefined =>
  (labels.get('type') ?? 'actual') === 'actual' && (labels.get('location') ?? 'gpu') === 'gpu'
    ? reading('hw.gpu.clock.sm', 'MHz')
    : undefined;

const cacheErrors = (labels: Labels): Reading | undefined => {
  const type = labels.get('type');
  if (type === 'correctable') return reading('hw.gpu.ecc.corrected', '{error}', { memory: 'cache' });
  return type === 'uncorrectable' ? reading('hw.gpu.ecc.uncorrected', '{error}', { memory: 'cache' }) : undefined;
};

/**
 * Intel XPU Manager 1.2, Prometheus exporter (list of metrics:
 * https://github.com/intel/xpumanager/blob/master/doc/Prometheus_Exported_Metrics.csv). Its ratios are 0 to 1.
 */
const xpum: Readonly<Record<string, Row>> = {
  xpum_engine_ratio: reading('hw.gpu.utilization', '1'),
  xpum_power_watts: reading('hw.power', 'W'),
  xpum_energy_joules: reading('hw.energy', 'J'),
  xpum_temperature_celsius: temperature({}),
  xpum_max_temperature_celsius: temperature({ reading: 'max' }),
  xpum_frequency_mhz: frequency,
  xpum_memory_used_bytes: reading('hw.gpu.memory.usage', 'By'),
  xpum_memory_ratio: reading('hw.gpu.memory.usage_ratio', '1'),
  xpum_memory_bandwidth_ratio: reading('hw.gpu.memory.utilization', '1'),
  xpum_cache_errors: cacheErrors,
};

/** Metrics of Intel data centre GPUs. */
export const intel: Exporter = {
  title: 'Intel XPU Manager 1.2',
  names: Object.keys(xpum),
  owns: (name) => name.startsWith('xpum_'),
  reading: readings(xpum),
  // The UUID of XPU Manager is made of the bus address: the same on every machine.
  naming: ({ name, labels }, surroundings) =>
    gpuNaming(name, labels, surroundings, {
      uuid: [],
      index: [],
      pci: ['pci_bdf'],
      local: ['dev_file', 'uuid'],
      model: ['dev_name'],
      pod: ['kube_pod', 'kube_namespace', 'kube_container'],
      used: ['dev_file', 'dev_name', 'pci_bdf', 'pci_dev', 'vendor', 'kube_pod', 'kube_namespace', 'kube_container'],
    }) ?? hostNaming(labels, surroundings),
};
