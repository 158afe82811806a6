import { reading } from '../../nvidia/reading.ts';
import { genericNaming, gpuNaming, hostNaming } from '../naming.ts';
import { type Exporter, nameTable, type Row, readings } from './exporter.ts';

/**
 * Ingero 0.16 (https://github.com/ingero-io/ingero, OTLP and Prometheus integration). By Prometheus it writes its
 * OpenTelemetry names with underscores; both ways of exporting are one metric.
 */
const names: Readonly<Record<string, Row>> = {
  system_cpu_utilization: reading('system.cpu.utilization', '1'),
  system_memory_utilization: reading('system.memory.utilization', '1'),
  gpu_cuda_operation_duration: reading('gpu.cuda.operation.duration', 'us'),
  gpu_cuda_operation_duration_microseconds: reading('gpu.cuda.operation.duration', 'us'),
  gpu_cuda_operation_duration_milliseconds: reading('gpu.cuda.operation.duration', 'ms'),
  gpu_cuda_operation_duration_seconds: reading('gpu.cuda.operation.duration', 's'),
  gpu_cuda_operation_count: reading('gpu.cuda.operation.count', '{operation}'),
  ingero_anomaly_count: reading('ingero.anomaly.count', '{anomaly}'),
  nccl_collective_duration_ms: reading('nccl.collective.duration_ms', 'ms'),
  nccl_collective_barrier_wait_ms: reading('nccl.collective.barrier_wait_ms', 'ms'),
  gpu_memory_used: reading('hw.gpu.memory.usage', 'By'),
  gpu_memory_used_bytes: reading('hw.gpu.memory.usage', 'By'),
  gpu_memory_total_bytes: reading('hw.gpu.memory.limit', 'By'),
  gpu_throttle_power_active: reading('gpu.throttle.power_active', '1'),
  gpu_throttle_thermal_active: reading('gpu.throttle.thermal_active', '1'),
  gpu_throttle_sw_active: reading('gpu.throttle.sw_active', '1'),
  gpu_throttle_hw_active: reading('gpu.throttle.hw_active', '1'),
};
const isKnown = nameTable(names);

/** Metrics of Ingero's agent, which other exporters of throttle states write, too (Faultline's own page is one). */
export const ingero: Exporter = {
  title: 'Ingero 0.16',
  names: Object.keys(names),
  owns: (name) => isKnown(name).value !== undefined,
  reading: readings(names),
  naming: ({ name, labels }, surroundings) =>
    (name.startsWith('gpu_') ? gpuNaming(name, labels, surroundings, { index: ['gpu_index', 'gpu'] }) : undefined) ??
    (labels.has('pod') ? genericNaming(labels, surroundings) : hostNaming(labels, surroundings)),
};
