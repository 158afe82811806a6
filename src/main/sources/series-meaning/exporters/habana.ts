import { reading } from '../../nvidia/reading.ts';
import { gpuNaming, hostNaming } from '../naming.ts';
import { type Exporter, type Row, readings } from './exporter.ts';

/**
 * Intel Gaudi (Habana Labs) Prometheus Metric Exporter 1.23
 * (https://docs.habana.ai/en/latest/Orchestration/Prometheus_Metric_Exporter.html). Power is in milliwatts, energy in
 * millijoules.
 */
const gaudi: Readonly<Record<string, Row>> = {
  habanalabs_temperature_onchip: reading('hw.temperature', 'Cel', { sensor: 'chip' }),
  habanalabs_temperature_onboard: reading('hw.temperature', 'Cel', { sensor: 'board' }),
  habanalabs_power_mW: reading('hw.power', 'mW'),
  habanalabs_power_default_limit_mW: reading('hw.power.limit', 'mW'),
  habanalabs_energy: reading('hw.energy', 'mJ'),
  habanalabs_utilization: reading('hw.gpu.utilization', '%'),
  habanalabs_memory_used_bytes: reading('hw.gpu.memory.usage', 'By'),
  habanalabs_memory_total_bytes: reading('hw.gpu.memory.limit', 'By'),
  habanalabs_clock_soc_mhz: reading('hw.gpu.clock.sm', 'MHz'),
  habanalabs_pcie_replay_count: reading('hw.gpu.pcie.replays', '{error}'),
  habanalabs_pci_link_width: reading('hw.pcie.link.width', '{lane}'),
  habanalabs_pending_rows_state: reading('hw.gpu.rows.remap_pending', '1'),
  habanalabs_nic_port_status: reading('hw.link.state', '1'),
};

/** Metrics of Gaudi accelerators. */
export const habana: Exporter = {
  title: 'Gaudi (Habana) exporter 1.23',
  names: Object.keys(gaudi),
  owns: (name) => name.startsWith('habanalabs_'),
  reading: readings(gaudi),
  naming: ({ name, labels }, surroundings) =>
    gpuNaming(name, labels, surroundings, {
      uuid: ['UUID', 'uuid'],
      isFreeUuid: true,
      index: ['id', 'device'],
      serial: ['Serial', 'serial'],
      pod: ['pod_name', 'pod_namespace', 'container'],
      used: ['id', 'device', 'Serial', 'serial', 'pod_name', 'pod_namespace', 'driver', 'fit', 'spi'],
    }) ?? hostNaming(labels, surroundings),
};
