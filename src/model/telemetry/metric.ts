/**
 * The measurements that importers agree on, whatever device, exporter or dialect they came from. Names follow the
 * OpenTelemetry hardware conventions (`hw.*`) where these have one; what they lack is named in their manner.
 * A `state` is a code: its numbers are listed in `states`, and a value outside them stays a number.
 * Anything else that a recording measures keeps its own name and unit.
 */
interface Metric {
  readonly unit: string;
  readonly kind: 'gauge' | 'counter' | 'state' | 'histogram';
  readonly description: string;
  readonly states?: Readonly<Record<number, string>>;
}
const gauge = (unit: string, description: string): Metric => ({ unit, kind: 'gauge', description });
const counter = (unit: string, description: string): Metric => ({ unit, kind: 'counter', description });
const histogram = (unit: string, description: string): Metric => ({ unit, kind: 'histogram', description });
const state = (description: string, states: Readonly<Record<number, string>>): Metric => ({
  unit: '1',
  kind: 'state',
  description,
  states,
});
const throttled = (description: string): Metric => state(description, { 0: 'no', 1: 'yes' });

export const metrics = {
  'hw.power': gauge('W', 'Active power drawn or delivered'),
  'hw.power.apparent': gauge('VA', 'Apparent power'),
  'hw.power.reactive': gauge('var', 'Reactive power'),
  'hw.power.input': gauge('W', 'Power into a supply'),
  'hw.power.output': gauge('W', 'Power out of a supply'),
  'hw.power.limit': gauge('W', 'Power limit in force'),
  'hw.power.capacity': gauge('W', 'Power that the device can deliver'),
  'hw.power.allocated': gauge('W', 'Power set aside for the device'),
  'hw.power.factor': gauge('1', 'Power factor, 0 to 1; negative when the device marks leading current by its sign'),
  'hw.energy': counter('J', 'Energy since the counter was reset'),
  'hw.voltage': gauge('V', 'Voltage'),
  'hw.current': gauge('A', 'Current'),
  'hw.frequency': gauge('Hz', 'Mains or output frequency'),
  'hw.load': gauge('%', 'Load as a share of capacity'),
  'hw.temperature': gauge('Cel', 'Temperature'),
  'hw.temperature.margin': gauge('Cel', 'Distance to the temperature limit'),
  'hw.humidity': gauge('%', 'Relative humidity'),
  'hw.dew_point': gauge('Cel', 'Dew point'),
  'hw.airflow': gauge('m3/h', 'Air flow'),
  'hw.pressure': gauge('Pa', 'Pressure'),
  'hw.coolant.flow': gauge('L/min', 'Coolant flow'),
  'hw.fan.speed': gauge('rpm', 'Fan speed'),
  'hw.fan.speed_ratio': gauge('%', 'Fan speed as a share of its maximum'),
  'hw.battery.charge': gauge('%', 'Battery charge'),
  'hw.battery.time_left': gauge('s', 'Time that the battery will last'),
  'hw.battery.time_on': gauge('s', 'Time on battery so far'),
  'hw.battery.voltage': gauge('V', 'Battery voltage'),
  'hw.battery.current': gauge('A', 'Battery current, positive when discharging'),
  'hw.battery.temperature': gauge('Cel', 'Battery temperature'),
  'hw.battery.state': state('Battery state (RFC 1628 upsBatteryStatus)', {
    1: 'unknown',
    2: 'normal',
    3: 'low',
    4: 'depleted',
    5: 'fault',
    6: 'absent',
  }),
  'hw.ups.output_source': state('Where the output of a UPS comes from (RFC 1628 upsOutputSource)', {
    1: 'other',
    2: 'none',
    3: 'normal',
    4: 'bypass',
    5: 'battery',
    6: 'booster',
    7: 'reducer',
  }),
  'hw.outlet.state': state('Whether an outlet or port delivers power', {
    0: 'off',
    1: 'on',
    2: 'changing',
    3: 'fault',
  }),
  'hw.cooling.state': state('Whether a cooling unit runs', { 0: 'off', 1: 'on', 2: 'standby' }),
  'hw.load.state': state('Load state of a PDU, phase, bank or outlet', {
    1: 'low',
    2: 'normal',
    3: 'near overload',
    4: 'overload',
  }),
  'hw.status': state('Health of a component (Redfish Status.Health)', { 0: 'ok', 1: 'warning', 2: 'critical' }),
  'hw.errors': counter('{error}', 'Errors of a component'),
  'hw.present': state('Whether a component is fitted', { 0: 'absent', 1: 'present' }),
  'hw.sensor.state': state('State of a threshold sensor', {
    0: 'open',
    1: 'closed',
    2: 'below lower critical',
    3: 'below lower warning',
    4: 'normal',
    5: 'above upper warning',
    6: 'above upper critical',
  }),
  'hw.poe.denied': counter('{request}', 'Requests for port power that were denied'),
  'hw.poe.overload': counter('{event}', 'Times a port drew more than it may'),
  'hw.gpu.utilization': gauge('%', 'Share of time in which kernels ran'),
  'hw.gpu.memory.utilization': gauge('%', 'Share of time in which memory was read or written'),
  'hw.gpu.memory.usage': gauge('By', 'GPU memory in use'),
  'hw.gpu.memory.usage_ratio': gauge('%', 'Share of GPU memory in use'),
  'hw.gpu.memory.limit': gauge('By', 'GPU memory in all'),
  'hw.gpu.memory.power': gauge('W', 'Power drawn by the GPU memory, part of that of the GPU'),
  'hw.gpu.memory.temperature': gauge('Cel', 'Temperature of the GPU memory'),
  'hw.gpu.clock.sm': gauge('MHz', 'Clock of the streaming multiprocessors'),
  'hw.gpu.clock.memory': gauge('MHz', 'Memory clock'),
  'hw.gpu.clock.video': gauge('MHz', 'Clock of the video engines'),
  'hw.gpu.performance_state': gauge('1', 'P-state, 0 the fastest'),
  /** NVML nvmlClocksEventReasons: 0x4 power cap, 0x8 hardware slowdown, 0x20/0x40 thermal, 0x80 power brake. */
  'hw.gpu.clocks_event_reasons': gauge('1', 'Bit mask of the reasons for which clocks are held down (NVML)'),
  /** The last Xid seen, never a count: only its changes mean anything. */
  'hw.gpu.xid': gauge('1', 'Last Xid that the driver reported'),
  'hw.gpu.ecc.corrected': counter('{error}', 'Corrected memory errors'),
  'hw.gpu.ecc.uncorrected': counter('{error}', 'Uncorrected memory errors'),
  'hw.gpu.rows.remapped.corrected': counter('{row}', 'Rows remapped after corrected errors'),
  'hw.gpu.rows.remapped.uncorrected': counter('{row}', 'Rows remapped after uncorrected errors'),
  'hw.gpu.rows.remap_pending': state('A row remapping waits for a reset', { 0: 'no', 1: 'yes' }),
  'hw.gpu.rows.remap_failed': state('A row could not be remapped', { 0: 'no', 1: 'yes' }),
  'hw.gpu.throttle.power': counter('s', 'Time held down by the power cap'),
  'hw.gpu.throttle.thermal': counter('s', 'Time held down by temperature'),
  'hw.gpu.throttle.brake': counter('s', 'Time held down by the external power brake'),
  'gpu.throttle.power_active': throttled('Held down by a power limit or the external power brake'),
  'gpu.throttle.thermal_active': throttled('Held down by temperature'),
  'gpu.throttle.sw_active': throttled('Held down by software, for any reason'),
  'gpu.throttle.hw_active': throttled('Held down by hardware, for any reason'),
  'hw.gpu.recovery_action': state('What the driver asks for to recover a GPU (NVML nvmlDeviceGpuRecoveryAction)', {
    0: 'none',
    1: 'GPU reset',
    2: 'node reboot',
    3: 'drain P2P',
    4: 'drain and reset',
    5: 'IMEX domain reset',
  }),
  'hw.gpu.pcie.replays': counter('{error}', 'PCIe replays'),
  'hw.pcie.link.generation': gauge('1', 'PCIe generation in use'),
  'hw.pcie.link.width': gauge('{lane}', 'PCIe lanes in use'),
  'hw.pcie.receive': gauge('By/s', 'PCIe traffic received'),
  'hw.pcie.transmit': gauge('By/s', 'PCIe traffic sent'),
  'hw.nvlink.receive': gauge('By/s', 'NVLink traffic received'),
  'hw.nvlink.transmit': gauge('By/s', 'NVLink traffic sent'),
  'hw.nvlink.errors': counter('{error}', 'NVLink errors'),
  'hw.network.discards': counter('{packet}', 'Packets that a port dropped without an error in them'),
  'hw.network.pause': counter('{frame}', 'Pause frames (IEEE 802.3x, PFC) of a port'),
  'hw.network.ecn_marked': counter('{packet}', 'Packets that a port marked for congestion (RFC 3168)'),
  'hw.link.state': state('Whether a link is up', { 0: 'down', 1: 'up' }),
  'hw.cpu.throttle': counter('{event}', 'Times a core or package was throttled'),
  'system.cpu.utilization': gauge('%', 'CPU in use'),
  'system.network.receive': gauge('By/s', 'Network traffic received'),
  'system.network.transmit': gauge('By/s', 'Network traffic sent'),
  'cloud.status_check.failed': state('A cloud status check failed', { 0: 'passed', 1: 'failed' }),
  'service.replicas.wanted': gauge(
    '{replica}',
    'Replicas that a service is to have, as its autoscaler or deployment states',
  ),
  'service.replicas.limit': gauge('{replica}', 'Replicas that an autoscaler may give a service, at most'),
  'service.replicas.ready': gauge('{replica}', 'Replicas of a service that can take requests'),
  'service.replicas.current': gauge('{replica}', 'Replicas that exist, ready or not'),
  /** `gen_ai.server.*`: OpenTelemetry's conventions for generative AI have the first three; the others are named in their manner. */
  'gen_ai.server.request.duration': histogram('s', 'Time from a request to its last token'),
  'gen_ai.server.time_to_first_token': histogram('s', 'Time from a request to its first token'),
  'gen_ai.server.time_per_output_token': histogram('s', 'Time per token after the first'),
  'gen_ai.server.inter_token_latency': histogram('s', 'Time between two tokens of an answer'),
  'gen_ai.server.request.input_tokens': histogram('{token}', 'Tokens of the prompt of a request'),
  'gen_ai.server.request.output_tokens': histogram('{token}', 'Tokens of the answer to a request'),
  'gen_ai.server.request.time': counter('s', 'Time of all requests together'),
  'gen_ai.server.token.input.time': counter('s', 'Time that the model read prompts'),
  'gen_ai.server.token.output.time': counter('s', 'Time that the model wrote answers'),
  'gen_ai.server.request.queue.time': counter('s', 'Time that all requests waited together before work on them began'),
  'gen_ai.server.request.preprocess.time': counter('s', 'Time that all requests together were prepared for the model'),
  'gen_ai.server.request.inference.time': counter('s', 'Time that the model ran for all requests together'),
  'gen_ai.server.request.postprocess.time': counter('s', 'Time that all answers of the model together were prepared'),
  'gen_ai.server.request.queue.duration': histogram('s', 'Time that a request waited before work on it began'),
  'gen_ai.server.request.preprocess.duration': histogram('s', 'Time that a request was prepared for the model'),
  'gen_ai.server.request.prefill.duration': histogram('s', 'Time that the model read the prompt of a request'),
  'gen_ai.server.request.decode.duration': histogram('s', 'Time that the model wrote the answer of a request'),
  'gen_ai.server.request.inference.duration': histogram('s', 'Time that the model ran for a request'),
  'gen_ai.server.request.postprocess.duration': histogram('s', 'Time that the answer of the model was prepared'),
  'gen_ai.server.request.running': gauge('{request}', 'Requests that the server works on'),
  'gen_ai.server.request.waiting': gauge('{request}', 'Requests that wait in the queue of the server'),
  'gen_ai.server.request.preemptions': counter('{preemption}', 'Requests that were set back for lack of cache'),
  'gen_ai.server.request.success': counter('{request}', 'Requests that ended well'),
  'gen_ai.server.request.failure': counter('{request}', 'Requests that failed'),
  'gen_ai.server.request.cancelled': counter(
    '{request}',
    'Requests that were given up before their answer was complete',
  ),
  'gen_ai.server.kv_cache.usage': gauge('%', 'Key-value cache in use'),
  'gen_ai.server.batch.size': gauge('{request}', 'Requests in a batch'),
  'gen_ai.server.batch.inferences': counter('{inference}', 'Inputs that the model was run on'),
  'gen_ai.server.batch.executions': counter('{execution}', 'Batches of them that the model was run on'),
  'gen_ai.server.batch.limit': gauge('{request}', 'Requests that the server works on at once, at most'),
  'gen_ai.server.batch.usage': gauge('%', 'Requests in a batch as a share of the most that it may hold'),
  'gen_ai.server.prefix_cache.queries': counter(
    '{token}',
    'Tokens, blocks or requests that were looked up in the prefix cache',
  ),
  'gen_ai.server.prefix_cache.hits': counter('{token}', 'Of these, those that were found'),
  'gen_ai.server.prefix_cache.hit_ratio': gauge('%', 'Share of look-ups in the prefix cache that were found'),
  'gen_ai.server.speculative.drafted': counter('{token}', 'Tokens that a draft model proposed'),
  'gen_ai.server.speculative.accepted': counter('{token}', 'Of these, those that the model accepted'),
  'gen_ai.server.speculative.acceptance_ratio': gauge('%', 'Share of proposed tokens that the model accepted'),
  'gen_ai.server.token.input': counter('{token}', 'Tokens of prompts'),
  'gen_ai.server.token.output': counter('{token}', 'Tokens that were generated'),
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;
export const isMetricName = (name: string): name is MetricName => Object.hasOwn(metrics, name);

/**
 * Whether the numbers of a metric are codes or bits, so that no difference of two means anything: by the catalogue, else by a name
 * that ends with the word for it (`st4InputCordStatus`, `probe_state`).
 */
export const hasCodes = (metric: string): boolean =>
  metric === 'hw.gpu.clocks_event_reasons' ||
  metric === 'hw.gpu.xid' ||
  (isMetricName(metric)
    ? metrics[metric].kind === 'state'
    : /(?:^|[._-])(?:status|state)(?:[._-]code)?$|[a-z\d](?:Status|State)$/.test(metric));

const workMetrics: ReadonlySet<string> = new Set<MetricName>([
  'hw.power',
  'hw.power.apparent',
  'hw.power.input',
  'hw.power.output',
  'hw.current',
  'hw.load',
  'hw.gpu.utilization',
  'hw.gpu.memory.utilization',
  'hw.gpu.memory.power',
  'system.cpu.utilization',
  'gen_ai.server.request.running',
  'gen_ai.server.request.success',
  'gen_ai.server.token.input',
  'gen_ai.server.token.output',
]);

/** The load average of Unix (`getloadavg(3)`), by whatever name: `node_load1`, `system.cpu.load_average.1m`, `load1`. */
const loadAverage = /(?:^|[._])load_?(?:1|5|15|average|avg)m?(?![a-z\d])/i;

/**
 * Seconds of processor time that a workload has used since its start, by whatever name: `container_cpu_usage_seconds_total` of
 * cAdvisor, `pod_cpu_usage_seconds_total` of the kubelet, `k8s.pod.cpu.time` and `container.cpu.time` of OpenTelemetry.
 */
export const CPU_TIME = '(^|[._])cpu[._](usage[._]seconds|time|seconds)([._]total)?$';

/**
 * Seconds for which some work on a machine waited for processors, memory or storage (pressure stall information of Linux, "some"), by
 * whatever name: `node_pressure_cpu_waiting_seconds_total` of node_exporter.
 */
export const PRESSURE = 'pressure[._](cpu|memory|io)[._](waiting|some)';

/**
 * Whether a rise of this metric is more work and no fault; a metric outside the catalogue counts if its unit is one of power, or
 * if it is a load average.
 */
export const risesWithWork = (metric: string, unit: string): boolean =>
  isMetricName(metric) ? workMetrics.has(metric) : unit === 'W' || unit === 'VA' || loadAverage.test(metric);

/** Bits of `hw.gpu.clocks_event_reasons` (nvml.h, nvmlClocksEventReason*); bits without a name are `hw`. */
export const clocksEventReasons: readonly (readonly [bit: number, name: string])[] = [
  [0x1, 'gpu_idle'],
  [0x2, 'applications_clocks_setting'],
  [0x4, 'sw_power_cap'],
  [0x8, 'hw_slowdown'],
  [0x10, 'sync_boost'],
  [0x20, 'sw_thermal_slowdown'],
  [0x40, 'hw_thermal_slowdown'],
  [0x80, 'hw_power_brake_slowdown'],
  [0x100, 'display_clock_setting'],
];

const namedBits = clocksEventReasons.reduce((all, [bit]) => all | bit, 0);

/**
 * The bits of a mask of 64 that have no name; 0 for what is no mask. `&` sees the lower 32 bits only, in which all names lie,
 * and taking these away leaves the upper ones as exact as the double is that bears them. From 2^63 on it is no mask either:
 * DCGM writes 0x7ffffffffffffff0 and the like where nothing is known (dcgm_structs.h, DCGM_INT64_BLANK).
 */
export const unnamedReasons = (mask: number): number =>
  mask >= 0 && mask < 2 ** 63 ? Math.floor(mask) - (mask & namedBits) : 0;
