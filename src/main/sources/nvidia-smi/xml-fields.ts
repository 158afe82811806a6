/**
 * Elements of `nvidia-smi -q -x` as properties of `--query-gpu`, over all DTDs: power_readings became
 * gpu_power_readings with driver 535 (DTD 12), power_draw became average and instant with DTD 13.
 */
const power: Readonly<Record<string, string>> = {
  power_draw: 'power.draw',
  average_power_draw: 'power.draw.average',
  instant_power_draw: 'power.draw.instant',
  enforced_power_limit: 'enforced.power.limit',
  current_power_limit: 'enforced.power.limit',
  power_limit: 'power.limit',
  requested_power_limit: 'power.limit',
  default_power_limit: 'power.default_limit',
  min_power_limit: 'power.min_limit',
  max_power_limit: 'power.max_limit',
};
const under = (prefix: string, names: Readonly<Record<string, string>>, rename = (name: string) => name) =>
  Object.fromEntries(Object.entries(names).map(([from, to]) => [`${prefix}/${from}`, rename(to)]));

const reasonCounters: Readonly<Record<string, string>> = {
  sw_power_cap: 'sw_power_cap',
  sync_boost: 'sync_boost',
  sw_therm_slowdown: 'sw_thermal_slowdown',
  hw_therm_slowdown: 'hw_thermal_slowdown',
  hw_power_brake: 'hw_power_brake_slowdown',
};

const fields: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...under('power_readings', power),
    ...under('gpu_power_readings', power),
    ...under('module_power_readings', power, (name) => `module.${name}`),
    ...under('fb_memory_usage', {
      total: 'memory.total',
      reserved: 'memory.reserved',
      used: 'memory.used',
      free: 'memory.free',
    }),
    ...under('utilization', {
      gpu_util: 'utilization.gpu',
      memory_util: 'utilization.memory',
      encoder_util: 'utilization.encoder',
      decoder_util: 'utilization.decoder',
      jpeg_util: 'utilization.jpeg',
      ofa_util: 'utilization.ofa',
    }),
    ...under('temperature', {
      gpu_temp: 'temperature.gpu',
      gpu_temp_tlimit: 'temperature.gpu.tlimit',
      memory_temp: 'temperature.memory',
    }),
    ...under('clocks', {
      graphics_clock: 'clocks.current.graphics',
      sm_clock: 'clocks.current.sm',
      mem_clock: 'clocks.current.memory',
      video_clock: 'clocks.current.video',
    }),
    ...under('max_clocks', {
      graphics_clock: 'clocks.max.graphics',
      sm_clock: 'clocks.max.sm',
      mem_clock: 'clocks.max.memory',
      video_clock: 'clocks.max.video',
    }),
    ...under('pci', {
      'pci_gpu_link_info/pcie_gen/current_link_gen': 'pcie.link.gen.current',
      'pci_gpu_link_info/pcie_gen/max_link_gen': 'pcie.link.gen.max',
      'pci_gpu_link_info/link_widths/current_link_width': 'pcie.link.width.current',
      'pci_gpu_link_info/link_widths/max_link_width': 'pcie.link.width.max',
      replay_counter: 'pcie.replay.counter',
      tx_util: 'pcie.throughput.tx',
      rx_util: 'pcie.throughput.rx',
    }),
    ...under('remapped_rows', {
      remapped_row_corr: 'remapped_rows.correctable',
      remapped_row_unc: 'remapped_rows.uncorrectable',
      remapped_row_pending: 'remapped_rows.pending',
      remapped_row_failure: 'remapped_rows.failure',
    }),
    ...under('retired_pages', {
      'multiple_single_bit_retirement/retired_count': 'retired_pages.single_bit_ecc.count',
      'double_bit_retirement/retired_count': 'retired_pages.double_bit.count',
    }),
    ...under('clocks_event_reasons_counters', reasonCounters, (name) => `clocks_event_reasons_counters.${name}`),
    fan_speed: 'fan.speed',
    performance_state: 'pstate',
    gpu_recovery_action: 'gpu_recovery_action',
    'voltage/graphics_volt': 'voltage',
  }),
);

const ECC =
  /^ecc_errors\/(volatile|aggregate)\/(?:(single|double)_bit\/(\w+)|(\w+?)_(correctable|uncorrectable)(?:_(\w+))?)$/;
/** Lists of what could be set, other devices, processes, and limits that go to the attributes of what they limit. */
const ELSEWHERE =
  /^((supported_clocks|processes|accounted_processes|mig_devices|applications_clocks|default_applications_clocks)\/|temperature\/gpu_temp_.*threshold)/;
const WITH_UNIT = /^-?\d+(\.\d+)? (W|mW|MiB|MHz|C|%|us|ms|KB\/s|mV)$/;

/**
 * The property that an element is, by its path below `gpu`; an element with a unit that no property matches is called
 * by its path. Undefined for everything else.
 */
export function propertyOf(path: string, text: string): string | undefined {
  const known = fields.get(path.replace(/\/clocks_event_reasons_counters_/, '/'));
  if (known !== undefined) return known;
  const ecc = ECC.exec(path);
  if (ecc) {
    const [, lifetime, bits, part, memory, kind, detail] = ecc;
    const corrected = bits === undefined ? kind === 'correctable' : bits === 'single';
    const where = bits === undefined ? [memory, detail].filter(Boolean).join('.') : part;
    return `ecc.errors.${corrected ? 'corrected' : 'uncorrected'}.${lifetime}.${where}`;
  }
  return WITH_UNIT.test(text) && !ELSEWHERE.test(`${path}/`) ? path.replaceAll('/', '.') : undefined;
}
