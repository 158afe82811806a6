import { type Reading, reading } from './reading.ts';

/**
 * Properties of `nvidia-smi --help-query-gpu` (driver 590) under their first names; a few exist in nvml.h only.
 * Units are those that nvidia-smi prints. Exporters build their names from the same words.
 */
const fields: Readonly<Record<string, Reading>> = {
  'power.draw': reading('hw.power', 'W'),
  'power.draw.average': reading('hw.power', 'W', { reading: 'average' }),
  'power.draw.instant': reading('hw.power', 'W', { reading: 'instant' }),
  'enforced.power.limit': reading('hw.power.limit', 'W'),
  energy: reading('hw.energy', 'J'),
  'temperature.gpu': reading('hw.temperature', 'Cel'),
  'temperature.gpu.tlimit': reading('hw.temperature.margin', 'Cel'),
  'temperature.memory': reading('hw.gpu.memory.temperature', 'Cel'),
  'utilization.gpu': reading('hw.gpu.utilization', '%'),
  'utilization.memory': reading('hw.gpu.memory.utilization', '%'),
  'memory.used': reading('hw.gpu.memory.usage', 'MiB'),
  'memory.total': reading('hw.gpu.memory.limit', 'MiB'),
  'clocks.current.sm': reading('hw.gpu.clock.sm', 'MHz'),
  'clocks.current.memory': reading('hw.gpu.clock.memory', 'MHz'),
  'clocks.current.video': reading('hw.gpu.clock.video', 'MHz'),
  'fan.speed': reading('hw.fan.speed_ratio', '%'),
  pstate: reading('hw.gpu.performance_state', '1'),
  'clocks_event_reasons.active': reading('hw.gpu.clocks_event_reasons', '1'),
  'clocks_event_reasons_counters.sw_power_cap': reading('hw.gpu.throttle.power', 'us'),
  'clocks_event_reasons_counters.sw_thermal_slowdown': reading('hw.gpu.throttle.thermal', 'us', { by: 'software' }),
  'clocks_event_reasons_counters.hw_thermal_slowdown': reading('hw.gpu.throttle.thermal', 'us', { by: 'hardware' }),
  'clocks_event_reasons_counters.hw_power_brake_slowdown': reading('hw.gpu.throttle.brake', 'us'),
  'pcie.link.gen.current': reading('hw.pcie.link.generation', '1'),
  'pcie.link.width.current': reading('hw.pcie.link.width', '{lane}'),
  'pcie.throughput.rx': reading('hw.pcie.receive', 'KB/s'),
  'pcie.throughput.tx': reading('hw.pcie.transmit', 'KB/s'),
  'pcie.replay.counter': reading('hw.gpu.pcie.replays', '{error}'),
  'remapped_rows.correctable': reading('hw.gpu.rows.remapped.corrected', '{row}'),
  'remapped_rows.uncorrectable': reading('hw.gpu.rows.remapped.uncorrected', '{row}'),
  'remapped_rows.pending': reading('hw.gpu.rows.remap_pending', '1'),
  'remapped_rows.failure': reading('hw.gpu.rows.remap_failed', '1'),
  gpu_recovery_action: reading('hw.gpu.recovery_action', '1'),
  voltage: reading('hw.voltage', 'mV'),
};

/** Further names of the same properties. */
const synonyms: Readonly<Record<string, string>> = {
  'gpu.power.draw.average': 'power.draw.average',
  'gpu.power.draw.instant': 'power.draw.instant',
  'gpu.power.current_limit': 'enforced.power.limit',
  'gpu.power.requested_limit': 'power.limit',
  'gpu.power.default_limit': 'power.default_limit',
  'gpu.power.min_limit': 'power.min_limit',
  'gpu.power.max_limit': 'power.max_limit',
  'clocks.gr': 'clocks.current.graphics',
  'clocks.sm': 'clocks.current.sm',
  'clocks.mem': 'clocks.current.memory',
  'clocks.video': 'clocks.current.video',
  'clocks.max.gr': 'clocks.max.graphics',
  'clocks.max.mem': 'clocks.max.memory',
  'remapped_rows.sbe': 'remapped_rows.correctable',
  'remapped_rows.dbe': 'remapped_rows.uncorrectable',
  'retired_pages.sbe': 'retired_pages.single_bit_ecc.count',
  'retired_pages.dbe': 'retired_pages.double_bit.count',
  gpu_name: 'name',
  gpu_serial: 'serial',
  gpu_uuid: 'uuid',
  gpu_bus_id: 'pci.bus_id',
};

const ECC = /^ecc\.errors\.(corrected|uncorrected)\.(volatile|aggregate)\.(.+)$/;
/** Properties of the identity or configuration of a GPU, not measurements. */
const IDENTITY =
  /^(timestamp|driver_version|count|name|serial|uuid|index|hostname|compute_cap|vbios_version|pci\.(?!replay).*|inforom\..*|platform\..*|vgpu_.*|fabric\.(cliqueId|clusterUuid)|clocks_event_reasons\.supported|accounting\..*|display_.*)$/;

/** The first name of a property: `clocks.sm` and `clocks_throttle_reasons.active` have older or shorter forms. */
export function queryFieldName(field: string): string {
  const name = field.trim().replace(/^clocks_throttle_reasons/, 'clocks_event_reasons');
  return Object.hasOwn(synonyms, name) ? synonyms[name]! : name;
}

/**
 * What a property of `nvidia-smi --query-gpu` measures; undefined when it only describes the GPU.
 * Anything that no agreed metric covers keeps its name, in the unit that the recording gives.
 */
export function queryField(name: string, unit = '1'): Reading | undefined {
  if (IDENTITY.test(name)) return undefined;
  if (Object.hasOwn(fields, name)) return fields[name];
  const ecc = ECC.exec(name);
  if (ecc) {
    const [, kind, lifetime = '', memory = ''] = ecc;
    // A yes or no, not a count.
    if (memory === 'sram.thresholdExceeded') return { metric: name, unit: '1' };
    return reading(kind === 'corrected' ? 'hw.gpu.ecc.corrected' : 'hw.gpu.ecc.uncorrected', '{error}', {
      lifetime,
      memory,
    });
  }
  const counter = /^(clocks_event_reasons_counters\.|retired_pages\..*count$)/.test(name);
  return { metric: name, unit, ...(counter ? { counter } : {}) };
}

/** All first names: what a header or an exporter's name is compared with. */
export const queryFieldNames: ReadonlySet<string> = new Set([
  ...Object.keys(fields),
  ...Object.values(synonyms),
  'timestamp',
  'index',
  'hostname',
  'driver_version',
  'clocks_event_reasons.active',
]);
