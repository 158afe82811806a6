import { type Reading, reading } from './reading.ts';

/**
 * DCGM fields (dcgm_fields.h, 4.x): id, the name that exporters have always used, the newer name where there is one,
 * and what it means. A newer name with another unit is a field of its own (`…_CLOCK_HERTZ` beside `…_CLOCK` in MHz).
 */
type Row = readonly [id: number, names: string, meaning: Reading];
const gauge = reading;
/** No agreed metric: it keeps DCGM's name, the oldest one, so that old and new exporters agree. */
const own = (unit: string, counter = false): Reading => ({ metric: '', unit, ...(counter ? { counter } : {}) });
const ecc = (kind: 'corrected' | 'uncorrected', lifetime: string, memory: string): Reading =>
  reading(`hw.gpu.ecc.${kind}`, '{error}', { lifetime, memory });
const nvlinkErrors = (error: string): Reading => reading('hw.nvlink.errors', '{error}', { error });

const rows: readonly Row[] = [
  [100, 'DEV_SM_CLOCK', gauge('hw.gpu.clock.sm', 'MHz')],
  [1603, 'DEV_SM_CLOCK_HERTZ', gauge('hw.gpu.clock.sm', 'Hz')],
  [101, 'DEV_MEM_CLOCK', gauge('hw.gpu.clock.memory', 'MHz')],
  [1604, 'DEV_MEMORY_CLOCK_HERTZ', gauge('hw.gpu.clock.memory', 'Hz')],
  [102, 'DEV_VIDEO_CLOCK', gauge('hw.gpu.clock.video', 'MHz')],
  [1605, 'DEV_VIDEO_CLOCK_HERTZ', gauge('hw.gpu.clock.video', 'Hz')],
  [112, 'DEV_CLOCK_THROTTLE_REASONS DEV_CLOCKS_EVENT_REASONS', gauge('hw.gpu.clocks_event_reasons', '1')],
  [113, 'DEV_MAX_SM_CLOCK', own('MHz')],
  [114, 'DEV_MAX_MEM_CLOCK', own('MHz')],
  [140, 'DEV_MEMORY_TEMP DEV_MEMORY_TEMP_CELSIUS', gauge('hw.gpu.memory.temperature', 'Cel')],
  [150, 'DEV_GPU_TEMP DEV_GPU_TEMP_CELSIUS', gauge('hw.temperature', 'Cel')],
  [153, 'DEV_GPU_TEMP_LIMIT DEV_GPU_TEMP_MARGIN_CELSIUS', gauge('hw.temperature.margin', 'Cel')],
  [155, 'DEV_POWER_USAGE DEV_BOARD_POWER_WATTS', gauge('hw.power', 'W')],
  [156, 'DEV_TOTAL_ENERGY_CONSUMPTION', gauge('hw.energy', 'mJ')],
  [1611, 'DEV_GPU_ENERGY_JOULES_TOTAL', gauge('hw.energy', 'J')],
  [157, 'DEV_POWER_USAGE_INSTANT DEV_BOARD_POWER_RAW_WATTS', gauge('hw.power', 'W', { reading: 'instant' })],
  [158, 'DEV_SLOWDOWN_TEMP DEV_GPU_TEMP_SLOWDOWN_CELSIUS', own('Cel')],
  [159, 'DEV_SHUTDOWN_TEMP DEV_GPU_TEMP_SHUTDOWN_CELSIUS', own('Cel')],
  [160, 'DEV_POWER_MGMT_LIMIT DEV_BOARD_POWER_LIMIT_REQUESTED_WATTS', own('W')],
  [161, 'DEV_POWER_MGMT_LIMIT_MIN DEV_BOARD_POWER_LIMIT_MIN_WATTS', own('W')],
  [162, 'DEV_POWER_MGMT_LIMIT_MAX DEV_BOARD_POWER_LIMIT_MAX_WATTS', own('W')],
  [163, 'DEV_POWER_MGMT_LIMIT_DEF DEV_BOARD_POWER_LIMIT_DEFAULT_WATTS', own('W')],
  [164, 'DEV_ENFORCED_POWER_LIMIT DEV_BOARD_POWER_LIMIT_ENFORCED_WATTS', gauge('hw.power.limit', 'W')],
  [190, 'DEV_PSTATE DEV_GPU_PSTATE', gauge('hw.gpu.performance_state', '1')],
  [191, 'DEV_FAN_SPEED', gauge('hw.fan.speed_ratio', '%')],
  [1612, 'DEV_FAN_SPEED_RATIO', gauge('hw.fan.speed_ratio', '1')],
  [200, 'DEV_PCIE_TX_THROUGHPUT', gauge('hw.pcie.transmit', 'KB/s')],
  [201, 'DEV_PCIE_RX_THROUGHPUT', gauge('hw.pcie.receive', 'KB/s')],
  [202, 'DEV_PCIE_REPLAY_COUNTER DEV_PCIE_REPLAY_TOTAL', gauge('hw.gpu.pcie.replays', '{error}')],
  // Renamed to _RATIO without a change of value: still 0 to 100.
  [203, 'DEV_GPU_UTIL DEV_GPU_UTIL_RATIO', gauge('hw.gpu.utilization', '%')],
  [204, 'DEV_MEM_COPY_UTIL', gauge('hw.gpu.memory.utilization', '%')],
  [206, 'DEV_ENC_UTIL', own('%')],
  [207, 'DEV_DEC_UTIL', own('%')],
  [230, 'DEV_XID_ERRORS DEV_XID_ERROR', gauge('hw.gpu.xid', '1')],
  [237, 'DEV_PCIE_LINK_GEN', gauge('hw.pcie.link.generation', '1')],
  [238, 'DEV_PCIE_LINK_WIDTH', gauge('hw.pcie.link.width', '{lane}')],
  // Nanoseconds, against the help text: NVML returns them and DCGM passes them on.
  [240, 'DEV_POWER_VIOLATION', gauge('hw.gpu.throttle.power', 'ns')],
  [241, 'DEV_THERMAL_VIOLATION', gauge('hw.gpu.throttle.thermal', 'ns')],
  [242, 'DEV_SYNC_BOOST_VIOLATION', own('ns', true)],
  [243, 'DEV_BOARD_LIMIT_VIOLATION', own('ns', true)],
  [244, 'DEV_LOW_UTIL_VIOLATION', own('ns', true)],
  [245, 'DEV_RELIABILITY_VIOLATION', own('ns', true)],
  [246, 'DEV_TOTAL_APP_CLOCKS_VIOLATION', own('ns', true)],
  [247, 'DEV_TOTAL_BASE_CLOCKS_VIOLATION', own('ns', true)],
  [1420, 'DEV_CLOCKS_EVENT_REASON_SW_POWER_CAP_NS', gauge('hw.gpu.throttle.power', 'ns', { by: 'software' })],
  [1422, 'DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN_NS', gauge('hw.gpu.throttle.thermal', 'ns', { by: 'software' })],
  [1423, 'DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN_NS', gauge('hw.gpu.throttle.thermal', 'ns', { by: 'hardware' })],
  [1424, 'DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN_NS', gauge('hw.gpu.throttle.brake', 'ns')],
  [250, 'DEV_FB_TOTAL', gauge('hw.gpu.memory.limit', 'MiB')],
  [251, 'DEV_FB_FREE', own('MiB')],
  [252, 'DEV_FB_USED', gauge('hw.gpu.memory.usage', 'MiB')],
  [253, 'DEV_FB_RESERVED', own('MiB')],
  [254, 'DEV_FB_USED_PERCENT DEV_FB_USED_RATIO', own('1')],
  [310, 'DEV_ECC_SBE_VOL_TOTAL', ecc('corrected', 'volatile', 'total')],
  [311, 'DEV_ECC_DBE_VOL_TOTAL', ecc('uncorrected', 'volatile', 'total')],
  [312, 'DEV_ECC_SBE_AGG_TOTAL', ecc('corrected', 'aggregate', 'total')],
  [313, 'DEV_ECC_DBE_AGG_TOTAL', ecc('uncorrected', 'aggregate', 'total')],
  [318, 'DEV_ECC_SBE_VOL_DEV', ecc('corrected', 'volatile', 'device_memory')],
  [319, 'DEV_ECC_DBE_VOL_DEV', ecc('uncorrected', 'volatile', 'device_memory')],
  [328, 'DEV_ECC_SBE_AGG_DEV', ecc('corrected', 'aggregate', 'device_memory')],
  [329, 'DEV_ECC_DBE_AGG_DEV', ecc('uncorrected', 'aggregate', 'device_memory')],
  [390, 'DEV_RETIRED_SBE DEV_PAGE_RETIRED_SBE_TOTAL', own('{page}', true)],
  [391, 'DEV_RETIRED_DBE DEV_PAGE_RETIRED_DBE_TOTAL', own('{page}', true)],
  [392, 'DEV_RETIRED_PENDING DEV_PAGE_RETIRED_PENDING', own('{page}')],
  [
    393,
    'DEV_UNCORRECTABLE_REMAPPED_ROWS DEV_ROW_REMAP_UNCORRECTABLE_TOTAL',
    gauge('hw.gpu.rows.remapped.uncorrected', '{row}'),
  ],
  [
    394,
    'DEV_CORRECTABLE_REMAPPED_ROWS DEV_ROW_REMAP_CORRECTABLE_TOTAL',
    gauge('hw.gpu.rows.remapped.corrected', '{row}'),
  ],
  [395, 'DEV_ROW_REMAP_FAILURE DEV_ROW_REMAP_FAILED', gauge('hw.gpu.rows.remap_failed', '1')],
  [396, 'DEV_ROW_REMAP_PENDING', gauge('hw.gpu.rows.remap_pending', '1')],
  [409, 'DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL DEV_NVLINK_CRC_FLIT_ERROR_TOTAL', nvlinkErrors('crc_flit')],
  [419, 'DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL DEV_NVLINK_CRC_DATA_ERROR_TOTAL', nvlinkErrors('crc_data')],
  [429, 'DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL DEV_NVLINK_REPLAY_ERROR_TOTAL', nvlinkErrors('replay')],
  [439, 'DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL DEV_NVLINK_RECOVERY_ERROR_TOTAL', nvlinkErrors('recovery')],
  [1001, 'PROF_GR_ENGINE_ACTIVE PROF_GR_ENGINE_UTIL_RATIO', own('1')],
  [1002, 'PROF_SM_ACTIVE PROF_SM_UTIL_RATIO', own('1')],
  [1003, 'PROF_SM_OCCUPANCY PROF_SM_OCCUPANCY_RATIO', own('1')],
  [1004, 'PROF_PIPE_TENSOR_ACTIVE PROF_TENSOR_UTIL_RATIO', own('1')],
  [1005, 'PROF_DRAM_ACTIVE PROF_DRAM_UTIL_RATIO', own('1')],
  [1006, 'PROF_PIPE_FP64_ACTIVE PROF_FP64_UTIL_RATIO', own('1')],
  [1007, 'PROF_PIPE_FP32_ACTIVE PROF_FP32_UTIL_RATIO', own('1')],
  [1008, 'PROF_PIPE_FP16_ACTIVE PROF_FP16_UTIL_RATIO', own('1')],
  [1009, 'PROF_PCIE_TX_BYTES', gauge('hw.pcie.transmit', 'By/s')],
  [1010, 'PROF_PCIE_RX_BYTES', gauge('hw.pcie.receive', 'By/s')],
  [1011, 'PROF_NVLINK_TX_BYTES', gauge('hw.nvlink.transmit', 'By/s')],
  [1012, 'PROF_NVLINK_RX_BYTES', gauge('hw.nvlink.receive', 'By/s')],
  [1206, 'DEV_NVLINK_COUNT_RX_ERRORS DEV_NVLINK_RX_ERROR_TOTAL', nvlinkErrors('rx')],
  [
    1212,
    'DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS DEV_NVLINK_RECOVERY_FAILED_TOTAL',
    nvlinkErrors('recovery_failed'),
  ],
  [1214, 'DEV_NVLINK_COUNT_RX_SYMBOL_ERRORS DEV_NVLINK_RX_SYMBOL_ERROR_TOTAL', nvlinkErrors('rx_symbol')],
  [1219, 'DEV_NVLINK_COUNT_EFFECTIVE_ERRORS DEV_NVLINK_EFFECTIVE_ERROR_TOTAL', nvlinkErrors('effective')],
  [1523, 'DEV_GET_GPU_RECOVERY_ACTION DEV_GPU_RECOVERY_ACTION', gauge('hw.gpu.recovery_action', '1')],
];

const byId = new Map<number, Reading>();
const byName = new Map<string, Reading>();
for (const [id, symbols, meaning] of rows) {
  const names = symbols.split(' ');
  const named = meaning.metric === '' ? { ...meaning, metric: `DCGM_FI_${names[0]}` } : meaning;
  byId.set(id, named);
  for (const name of names) byName.set(name, named);
}
/** Names of exporter 1.x that do not follow from the field's. */
const lowerCase: Readonly<Record<string, string>> = {
  dcgm_memory_clock: 'DEV_MEM_CLOCK',
  dcgm_gpu_utilization: 'DEV_GPU_UTIL',
  dcgm_mem_copy_utilization: 'DEV_MEM_COPY_UTIL',
  dcgm_enc_utilization: 'DEV_ENC_UTIL',
  dcgm_dec_utilization: 'DEV_DEC_UTIL',
};
const LINK = /^DEV_NVLINK_(CRC_FLIT|CRC_DATA|REPLAY|RECOVERY)_ERROR_(?:COUNT_)?L(\d{1,2})(?:_TOTAL)?$/;

/**
 * What a DCGM field measures, by its symbol (`DCGM_FI_DEV_GPU_TEMP`, `dcgm_gpu_temp`); undefined when the table lacks
 * it: such a field keeps its own name.
 */
export function dcgmField(symbol: string): Reading | undefined {
  const name = symbol.startsWith('DCGM_FI_')
    ? symbol.slice('DCGM_FI_'.length)
    : Object.hasOwn(lowerCase, symbol)
      ? lowerCase[symbol]!
      : /^dcgm_[a-z]/.test(symbol)
        ? `DEV_${symbol.slice('dcgm_'.length).toUpperCase()}`
        : '';
  const known = byName.get(name);
  if (known) return known;
  const link = LINK.exec(name);
  return link ? reading('hw.nvlink.errors', '{error}', { error: link[1]!.toLowerCase(), link: link[2]! }) : undefined;
}

/** Symbols of all fields that the table has. */
export const dcgmSymbols: readonly string[] = rows.flatMap(([, names]) =>
  names.split(' ').map((name) => `DCGM_FI_${name}`),
);

/** What a DCGM field measures, by its number. */
export const dcgmFieldById = (id: number): Reading | undefined => byId.get(id);

/** The engines and counters of a MIG slice; everything else that is repeated for a slice belongs to the whole GPU. */
export const belongsToSlice = (symbol: string): boolean => /^DCGM_FI_(PROF_|DEV_FB_)|^dcgm_fb_/.test(symbol);
