import type { TestCore } from '../support/core.ts';
import { type Fact, type Part, rowsOf } from './matrix.ts';
import { seriesContainers } from './series-containers.ts';

/** One sample of one series as its exporter names it; `#` in a label is the number of the fact, so that each has things of its own. */
export interface SeriesFact extends Fact {
  readonly series: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly unit: string;
  readonly wanted: {
    readonly metric: string;
    readonly unit: string | null;
    readonly value: number;
    readonly entity: string;
    /** Name of the machine that contains the entity; absent: it is the machine itself, or none is named. */
    readonly inside?: string;
    readonly events?: readonly string[];
  };
}

type Row = readonly [
  series: string,
  labels: Readonly<Record<string, string>>,
  value: number,
  wanted: readonly [metric: string, unit: string | null, value: number, entity: string, inside?: string],
  events?: readonly string[],
];

const nvidia = { gpu: '0', UUID: 'GPU-00000000-2222-3333-4444-0000000000#', Hostname: 'h100-#' };
const nvidiaGpu = 'gpu:GPU-00000000-2222-3333-4444-0000000000#';
const amd = { gpu_id: '3', hostname: 'mi300-#', serial_number: '6924320000#', card_model: 'MI300X' };
const intel = {
  uuid: '01000000-0000-0000-0000-000000290000',
  pci_bdf: '0000:29:00.0',
  dev_file: 'card1',
  node: 'max-#',
};
const gaudi = { UUID: '01P0-HL2080A0-15-TNPS34-14-07-#', id: '2', device: 'AM123', Hostname: 'gaudi-#' };
const ofAmd = ['gpu:mi300-#/gpu3', 'mi300-#'] as const;
const ofIntel = ['gpu:max-#/pci-0000:29:00', 'max-#'] as const;
const ofGaudi = ['gpu:01P0-HL2080A0-15-TNPS34-14-07-#', 'gaudi-#'] as const;
const ofNvidia = [nvidiaGpu, 'h100-#'] as const;
const node = { instance: 'node-#:9100' };
const part = { host_name: 'srv-#', hw_id: 'psu-1', hw_type: 'power_supply', hw_name: 'PSU 1' };

const rows: readonly Row[] = [
  ['DCGM_FI_DEV_POWER_USAGE', nvidia, 300, ['hw.power', 'W', 300, ...ofNvidia]],
  ['DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION', nvidia, 5000, ['hw.energy', 'J', 5, ...ofNvidia]],
  ['DCGM_FI_DEV_GPU_TEMP', nvidia, 64, ['hw.temperature', 'Cel', 64, ...ofNvidia]],
  ['DCGM_FI_DEV_SM_CLOCK', nvidia, 1980, ['hw.gpu.clock.sm', 'MHz', 1980, ...ofNvidia]],
  ['DCGM_FI_DEV_GPU_UTIL', nvidia, 97, ['hw.gpu.utilization', '%', 97, ...ofNvidia]],
  ['DCGM_FI_DEV_FB_USED', nvidia, 2, ['hw.gpu.memory.usage', 'By', 2_097_152, ...ofNvidia]],
  [
    'nvidia_smi_clocks_current_sm_clock_hz',
    { uuid: nvidia.UUID, hostname: 'h100-#' },
    1_980_000_000,
    ['hw.gpu.clock.sm', 'MHz', 1980, ...ofNvidia],
  ],
  ['nvidia_smi_power_draw_watts', { uuid: nvidia.UUID, hostname: 'h100-#' }, 512, ['hw.power', 'W', 512, ...ofNvidia]],
  [
    'gpu_dcgm_utilization',
    { uuid: nvidia.UUID, gpu_number: '0', hostname: 'h100-#' },
    0.4,
    ['hw.gpu.utilization', '%', 40, ...ofNvidia],
  ],
  [
    'gpu_throttle_hw_active',
    { gpu_uuid: nvidia.UUID, host_name: 'h100-#' },
    0,
    ['gpu.throttle.hw_active', '1', 0, ...ofNvidia],
  ],
  ['gpu_edge_temperature', amd, 55, ['hw.temperature', 'Cel', 55, ...ofAmd]],
  ['amd_gpu_package_power', amd, 600, ['hw.power', 'W', 600, ...ofAmd]],
  ['gpu_energy_consumed', amd, 7_000_000, ['hw.energy', 'J', 7, ...ofAmd]],
  ['gpu_used_vram', amd, 2, ['hw.gpu.memory.usage', 'By', 2_097_152, ...ofAmd]],
  ['gpu_clock', { ...amd, clock_type: 'GPU_CLOCK_TYPE_SYSTEM' }, 2100, ['hw.gpu.clock.sm', 'MHz', 2100, ...ofAmd]],
  ['gpu_ecc_uncorrect_total', amd, 1, ['hw.gpu.ecc.uncorrected', '{error}', 1, ...ofAmd]],
  ['pcie_replay_count', amd, 2, ['hw.gpu.pcie.replays', '{error}', 2, ...ofAmd]],
  [
    'amd_gpu_power',
    { gpu_power: '0', productname: 'MI210', hostname: 'mi210-#' },
    9e7,
    ['hw.power', 'W', 90, 'gpu:mi210-#/gpu0', 'mi210-#'],
  ],
  [
    'amd_rocm_smi_power_draw',
    { gpu_unique_id: '0x2150e7d042a11#', gpu_id: '0x6861', hostname: 'mi210-#', name: 'card0' },
    7,
    ['hw.power', 'W', 7, 'gpu:0x2150e7d042a11#', 'mi210-#'],
  ],
  ['xpum_power_watts', intel, 300, ['hw.power', 'W', 300, ...ofIntel]],
  ['xpum_engine_ratio', intel, 0.5, ['hw.gpu.utilization', '%', 50, ...ofIntel]],
  ['xpum_temperature_celsius', { ...intel, location: 'mem' }, 60, ['hw.gpu.memory.temperature', 'Cel', 60, ...ofIntel]],
  ['habanalabs_temperature_onchip', gaudi, 61, ['hw.temperature', 'Cel', 61, ...ofGaudi]],
  ['habanalabs_power_mW', gaudi, 350_000, ['hw.power', 'W', 350, ...ofGaudi]],
  [
    'hw_gpu_utilization_ratio',
    { gpu_uuid: nvidia.UUID, host_name: 'h100-#', hw_type: 'gpu', hw_id: '0' },
    0.87,
    ['hw.gpu.utilization', '%', 87, ...ofNvidia],
  ],
  ['hw_status', { ...part, hw_state: 'failed' }, 1, ['hw.status', '1', 2, 'psu:srv-#/psu-1', 'srv-#'], ['psu_failure']],
  ['hw_host_power', { host_name: 'srv-#' }, 812, ['hw.power', 'W', 812, 'server:srv-#']],
  ['node_hwmon_temp_celsius', { ...node, chip: 'a' }, 40, ['hw.temperature', 'Cel', 40, 'server:node-#']],
  ['node_rapl_package_joules_total', { ...node, index: '0' }, 1234, ['hw.energy', 'J', 1234, 'server:node-#']],
  ['node_network_up', { ...node, device: 'eth0' }, 1, ['hw.link.state', '1', 1, 'server:node-#']],
  ['ipmi_power_watts', { ...node, name: 'Pwr Consumption' }, 420, ['hw.power', 'W', 420, 'server:node-#']],
  ['ipmi_fan_speed_rpm', { ...node, name: 'FAN1' }, 5400, ['hw.fan.speed', 'rpm', 5400, 'server:node-#']],
  [
    'ipmi_sensor_value',
    { server: 'bmc-#', name: 'avg_power', unit: 'watts' },
    220,
    ['hw.power', 'W', 220, 'server:bmc-#'],
  ],
  [
    'redfish_thermal_temperatures_reading_celsius',
    { source: 'web-#', name: 'CPU1 Temp', health: 'OK' },
    41,
    ['hw.temperature', 'Cel', 41, 'server:web-#'],
  ],
  [
    'rPDU2PhaseStatusCurrent',
    { instance: 'pdu-#:161', rPDU2PhaseStatusIndex: '2' },
    49,
    ['hw.current', 'A', 4.9, 'pdu:pdu-#'],
  ],
  [
    'st4OutletState',
    { instance: 'pdu-#:161', st4OutletIndex: '7' },
    2,
    ['hw.outlet.state', '1', 0, 'outlet:pdu-#/outlet-7', 'pdu-#'],
  ],
  ['upsOutputSource', { instance: 'ups-#:161' }, 5, ['hw.ups.output_source', '1', 5, 'ups:ups-#'], ['ups_transfer']],
  [
    'ifOutDiscards',
    { instance: 'leaf-#:161', ifName: 'swp3' },
    9,
    ['hw.network.discards', '{packet}', 9, 'port:leaf-#/swp3', 'leaf-#'],
  ],
  ['lgpEnvStateSystem', { instance: 'crac-#:161' }, 3, ['hw.cooling.state', '1', 2, 'cooling:crac-#']],
  ['crac_running', { crac: 'crah-#' }, 1, ['hw.cooling.state', '1', 1, 'cooling:crah-#']],
  ['cdu_coolant_flow_lpm', { cdu: 'cdu-#' }, 410, ['hw.coolant.flow', 'L/min', 410, 'cooling:cdu-#']],
  ['kube_node_spec_unschedulable', { node: 'worker-#' }, 1, ['kube_node_spec_unschedulable', null, 1, 'node:worker-#']],
  [
    'vllm:num_requests_waiting',
    { service_name: 'llm-#', model_name: 'llama' },
    30,
    ['gen_ai.server.request.waiting', '{request}', 30, 'service:llm-#'],
  ],
  [
    'http_server_active_requests',
    { service_name: 'shop-#' },
    12,
    ['http_server_active_requests', '{request}', 12, 'service:shop-#'],
  ],
];

/** Two digits: the facts stay apart in ids of a fixed length. */
const numbered = (text: string, i: number): string => text.replaceAll('#', String(i + 10));

const facts: readonly SeriesFact[] = rows.map(
  ([series, labels, value, [metric, unit, stored, entity, inside], events], i) => ({
    name: `${series}${labels.hw_state ? ` (${labels.hw_state})` : ''}`,
    series,
    labels: Object.fromEntries(Object.entries(labels).map(([name, text]) => [name, numbered(text, i)])),
    value,
    unit: '',
    wanted: {
      metric,
      unit,
      value: stored,
      entity: numbered(entity, i),
      ...(inside === undefined ? {} : { inside: numbered(inside, i) }),
      ...(events ? { events } : {}),
    },
  }),
);

async function answers(core: TestCore, asked: readonly SeriesFact[]): Promise<readonly unknown[]> {
  const metrics = await rowsOf(core, "select entity_kind || ':' || entity, metric, unit, value from metrics");
  const links = await rowsOf(core, "select to_kind || ':' || to_id, from_id from topology where edge = 'contains'");
  const events = await rowsOf(core, 'select device_id, type from events');
  return asked.map(({ wanted: { entity } }) => {
    const [sample, ...more] = metrics.filter(([name]) => name === entity);
    const inside = links.find(([to]) => to === entity)?.[1];
    const types = events.filter(([id]) => id === entity.slice(entity.indexOf(':') + 1)).map(([, type]) => type);
    return {
      metric: sample?.[1],
      unit: sample?.[2],
      value: more.length > 0 ? 'several' : sample?.[3],
      entity: sample?.[0],
      ...(inside === undefined ? {} : { inside }),
      ...(types.length > 0 ? { events: types } : {}),
    };
  });
}

/** Names of exporters in every container of samples. */
export const series: Part<SeriesFact> = {
  title: 'Series of exporters',
  facts,
  containers: seriesContainers,
  answers,
  wanted: (fact) => fact.wanted,
};
