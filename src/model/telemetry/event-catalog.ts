import type { Layer } from '../entity.ts';
import type { Qualifier } from './event-details.ts';
import type { MetricName } from './metric.ts';

/** States that one event begins and another ends, with the series that show the same sample by sample: then the events are not asked. */
const stateMetrics = {
  'power source': ['hw.ups.output_source'],
  output: [],
  supply: [],
  voltage: [],
  outlet: ['hw.outlet.state'],
  'coolant flow': [],
  fan: [],
  'temperature limit': [],
  'power limit': [],
  'throttle reason': ['hw.gpu.clocks_event_reasons'],
  link: ['hw.link.state'],
  'link quality': [],
  congestion: [],
  'PCIe link': ['hw.pcie.link.width'],
  storage: [],
  readiness: [],
  scheduling: [],
  host: [],
  'health check': [],
} as const satisfies Readonly<Record<string, readonly MetricName[]>>;
export type StateName = keyof typeof stateMetrics;

/** What is known of a type of event beside how often it starts an incident and what it brings about (`mechanisms.yaml`). */
interface EventEntry {
  readonly meaning: string;
  /** Layer of what usually reports it. */
  readonly layer: Layer;
  /** The state that it begins, with the name of that state's lane and of what it is then. */
  readonly opens?: readonly [lane: StateName, state: string];
  /** What holds again from it on: something is over. */
  readonly closes?: readonly [lane: StateName, state: string];
  /** Events that end it, where no state of its own does: until then it stays. */
  readonly endedBy?: readonly string[];
  /** Clocks or power of a machine are below what its work would take (NVML clocks event reasons, package limits). */
  readonly limitsPerformance?: true;
  /** Qualifiers with which it does no harm yet. */
  readonly harmlessWhen?: readonly Qualifier[];
}

/**
 * Every type of event that Faultline knows, with all that is known of it. The list is open: a recording may bring its own
 * types, and they stay as they are.
 */
const catalog = {
  // power
  utility_outage: { meaning: 'the mains failed', layer: 'power' },
  ups_transfer: {
    meaning: 'a UPS went to battery',
    layer: 'power',
    opens: ['power source', 'on battery'],
    harmlessWhen: ['self_test'],
  },
  ups_restored: { meaning: 'a UPS returned from battery', layer: 'power', closes: ['power source', 'on mains'] },
  ups_battery_low: { meaning: 'a UPS battery ran low or failed', layer: 'power', endedBy: ['ups_restored'] },
  ups_output_off: { meaning: 'a UPS no longer feeds its load', layer: 'power', opens: ['output', 'off'] },
  ups_output_on: { meaning: 'a UPS feeds its load again', layer: 'power', closes: ['output', 'on'] },
  ups_alarm: { meaning: 'a UPS raised an alarm', layer: 'power' },
  voltage_sag: { meaning: 'voltage fell below its limit', layer: 'power', opens: ['voltage', 'sag'] },
  voltage_swell: { meaning: 'voltage rose above its limit', layer: 'power', opens: ['voltage', 'swell'] },
  voltage_restored: {
    meaning: 'voltage returned within its limits',
    layer: 'power',
    closes: ['voltage', 'within limits'],
  },
  breaker_trip: {
    meaning: 'a breaker or fuse opened',
    layer: 'power',
    endedBy: ['voltage_restored', 'outlet_on', 'ups_restored'],
  },
  pdu_overload: { meaning: 'a PDU, phase, bank or outlet is overloaded', layer: 'power' },
  outlet_off: {
    meaning: 'an outlet went off',
    layer: 'power',
    opens: ['outlet', 'off'],
    harmlessWhen: ['unused_link'],
  },
  outlet_on: { meaning: 'an outlet went on', layer: 'power', closes: ['outlet', 'on'] },
  port_power_exceeded: { meaning: 'a PoE port drew more than it may, or was denied power', layer: 'network' },
  psu_failure: {
    meaning: 'a power supply failed or lost its input',
    layer: 'server',
    opens: ['supply', 'supply failed'],
    harmlessWhen: ['redundancy_kept'],
  },
  psu_failover: { meaning: 'a server runs on its other supply', layer: 'server', opens: ['supply', 'on one supply'] },
  psu_restored: { meaning: 'a power supply recovered', layer: 'server', closes: ['supply', 'supplied'] },
  // cooling
  cooling_failure: {
    meaning: 'a cooling unit or pump failed',
    layer: 'cooling',
    endedBy: ['coolant_flow_restored', 'temperature_restored', 'fan_restored'],
    harmlessWhen: ['redundancy_kept'],
  },
  coolant_flow_low: { meaning: 'coolant flows too slowly', layer: 'cooling', opens: ['coolant flow', 'low'] },
  coolant_flow_restored: {
    meaning: 'coolant flows as it should again',
    layer: 'cooling',
    closes: ['coolant flow', 'as it should'],
  },
  coolant_leak: { meaning: 'a leak was detected', layer: 'cooling' },
  fan_failure: {
    meaning: 'a fan failed or fell below its limit',
    layer: 'server',
    opens: ['fan', 'failed'],
    harmlessWhen: ['redundancy_kept'],
  },
  fan_restored: { meaning: 'a fan turns as it should again', layer: 'server', closes: ['fan', 'turns'] },
  temperature_high: {
    meaning: 'temperature rose above its limit',
    layer: 'server',
    opens: ['temperature limit', 'too hot'],
  },
  temperature_restored: {
    meaning: 'temperature returned within its limits',
    layer: 'server',
    closes: ['temperature limit', 'within limits'],
  },
  // server and CPU
  resource_pressure: {
    meaning: 'work on a machine waits for its processors, memory or storage',
    layer: 'server',
    endedBy: ['resource_pressure_ended'],
  },
  resource_pressure_ended: { meaning: 'work on a machine hardly waits any more', layer: 'server' },
  cpu_power_cap: {
    meaning: 'a CPU or server power limit was lowered',
    layer: 'server',
    opens: ['power limit', 'capped'],
    limitsPerformance: true,
  },
  power_cap_removed: {
    meaning: 'a power limit was raised again',
    layer: 'server',
    closes: ['power limit', 'not capped'],
  },
  machine_check: { meaning: 'the processor reported a hardware error', layer: 'server', harmlessWhen: ['corrected'] },
  pcie_error: { meaning: 'a PCIe device reported an error', layer: 'server', harmlessWhen: ['corrected'] },
  pcie_link_degraded: { meaning: 'a PCIe link lost lanes', layer: 'server', opens: ['PCIe link', 'fewer lanes'] },
  pcie_link_restored: {
    meaning: 'a PCIe link has all of its lanes again',
    layer: 'server',
    closes: ['PCIe link', 'all lanes'],
  },
  memory_error: { meaning: 'memory reported an error', layer: 'server', harmlessWhen: ['corrected'] },
  drive_failure: {
    meaning: 'a drive failed, is failing, or no longer answers',
    layer: 'server',
    harmlessWhen: ['predicted'],
  },
  host_degradation: {
    meaning: 'the provider reports trouble with a machine',
    layer: 'server',
    opens: ['host', 'degraded'],
  },
  host_recovered: {
    meaning: 'the provider reports a machine healthy again',
    layer: 'server',
    closes: ['host', 'healthy'],
  },
  maintenance_scheduled: { meaning: 'maintenance is planned', layer: 'server' },
  maintenance_started: { meaning: 'maintenance began', layer: 'server' },
  cloud_event: { meaning: 'another report of the provider', layer: 'server' },
  host_rebooted: { meaning: 'a machine restarted', layer: 'server' },
  firmware_changed: { meaning: 'firmware or a driver has another version than before', layer: 'server' },
  out_of_memory: { meaning: 'the kernel killed a process for want of memory', layer: 'server' },
  file_system_full: {
    meaning: 'a file system has no space left or became read-only',
    layer: 'server',
  },
  storage_not_responding: {
    meaning: 'network storage does not respond, or only slowly',
    layer: 'server',
    opens: ['storage', 'not responding'],
  },
  storage_restored: {
    meaning: 'network storage responds again',
    layer: 'server',
    closes: ['storage', 'responding'],
  },
  bmc_event: { meaning: 'a management controller logged an event', layer: 'server' },
  // GPU
  thermal_throttle: {
    meaning: 'a GPU slowed down because of temperature',
    layer: 'gpu',
    opens: ['throttle reason', 'thermal'],
    limitsPerformance: true,
  },
  power_cap_applied: {
    meaning: 'a GPU is held down by its power limit',
    layer: 'gpu',
    opens: ['throttle reason', 'power cap'],
    limitsPerformance: true,
  },
  power_brake: {
    meaning: 'a GPU was braked by the external power signal',
    layer: 'gpu',
    opens: ['throttle reason', 'power brake'],
    limitsPerformance: true,
  },
  hw_slowdown: {
    meaning: 'a GPU was slowed down by hardware',
    layer: 'gpu',
    opens: ['throttle reason', 'hardware slowdown'],
    limitsPerformance: true,
  },
  clocks_limited: {
    meaning: "a GPU's clocks are held down by software: a setting, sync boost, or a limit",
    layer: 'gpu',
    opens: ['throttle reason', 'clock setting'],
  },
  throttle_ended: { meaning: 'a GPU runs at full clocks again', layer: 'gpu', closes: ['throttle reason', 'none'] },
  xid_error: { meaning: 'the GPU driver reported an Xid', layer: 'gpu' },
  gpu_lost: { meaning: 'a GPU fell off the bus', layer: 'gpu', endedBy: ['host_rebooted'] },
  ecc_error: { meaning: 'GPU memory errors grew', layer: 'gpu', harmlessWhen: ['corrected'] },
  row_remap: { meaning: 'GPU memory rows were remapped', layer: 'gpu' },
  nvlink_error: { meaning: 'an NVLink reported errors', layer: 'gpu' },
  nvswitch_error: { meaning: 'an NVSwitch reported an SXid', layer: 'gpu' },
  // network
  link_down: { meaning: 'a link went down', layer: 'network', opens: ['link', 'down'], harmlessWhen: ['unused_link'] },
  link_up: { meaning: 'a link came up', layer: 'network', closes: ['link', 'up'] },
  link_flap: { meaning: 'a link went down and up', layer: 'network', harmlessWhen: ['unused_link'] },
  link_degraded: {
    meaning: 'a link has many errors or too little light',
    layer: 'network',
    opens: ['link quality', 'degraded'],
    harmlessWhen: ['unused_link', 'warning'],
  },
  link_recovered: {
    meaning: 'a link has normal errors and light again',
    layer: 'network',
    closes: ['link quality', 'normal'],
  },
  network_congestion: {
    meaning: 'a port, queue or buffer of the network is congested, or pause frames stop it',
    layer: 'network',
    opens: ['congestion', 'congested'],
    harmlessWhen: ['unused_link'],
  },
  congestion_ended: {
    meaning: 'a port, queue or buffer is no longer congested',
    layer: 'network',
    closes: ['congestion', 'none'],
  },
  switch_reboot: { meaning: 'a switch restarted', layer: 'network' },
  switch_failed: { meaning: 'a switch or a part that forwards its traffic failed', layer: 'network' },
  // orchestrator
  node_not_ready: { meaning: 'a node stopped being ready', layer: 'orchestrator', opens: ['readiness', 'not ready'] },
  node_ready: { meaning: 'a node is ready again', layer: 'orchestrator', closes: ['readiness', 'ready'] },
  node_condition: { meaning: 'a node reported a bad condition', layer: 'orchestrator' },
  node_tainted: { meaning: 'a node was tainted or cordoned', layer: 'orchestrator', opens: ['scheduling', 'tainted'] },
  node_quarantined: {
    meaning: 'a node was taken out of service',
    layer: 'orchestrator',
    opens: ['scheduling', 'quarantined'],
  },
  node_unquarantined: {
    meaning: 'a node was put back into service',
    layer: 'orchestrator',
    closes: ['scheduling', 'in service'],
  },
  node_draining: { meaning: 'the pods of a node are being moved away', layer: 'orchestrator' },
  node_drain_failed: { meaning: 'the pods of a node could not be moved away', layer: 'orchestrator' },
  node_drained: { meaning: 'the pods of a node were moved away', layer: 'orchestrator' },
  node_remediated: { meaning: 'a repair action ran on a node', layer: 'orchestrator' },
  pod_evicted: { meaning: 'a pod was evicted', layer: 'orchestrator' },
  pod_preempted: { meaning: 'a pod had to make room for one of higher priority', layer: 'orchestrator' },
  pod_oom_killed: { meaning: 'a container was killed for want of memory', layer: 'orchestrator' },
  pod_started: { meaning: 'a container of a pod was started', layer: 'orchestrator' },
  pod_failed: { meaning: 'a pod could not start or failed', layer: 'orchestrator' },
  pod_unschedulable: { meaning: 'no node could take a pod', layer: 'orchestrator' },
  replicas_changed: { meaning: 'an autoscaler changed the number of replicas', layer: 'orchestrator' },
  scaling_failed: { meaning: 'an autoscaler could not scale, or not measure what it scales by', layer: 'orchestrator' },
  scaling_limited: { meaning: 'an autoscaler wants more replicas than it may run', layer: 'orchestrator' },
  mount_failed: { meaning: 'a volume could not be mounted', layer: 'orchestrator' },
  kubernetes_event: { meaning: 'Kubernetes recorded an event', layer: 'orchestrator' },
  health_check_failed: { meaning: 'a health check failed', layer: 'orchestrator', opens: ['health check', 'failing'] },
  health_check_passed: {
    meaning: 'a health check passes again',
    layer: 'orchestrator',
    closes: ['health check', 'passing'],
  },
  // anything that reports by SNMP
  snmp_trap: { meaning: 'a device sent an SNMP trap of no known meaning here', layer: 'network' },
  // software
  collective_stalled: { meaning: 'a rank never entered the collective that others wait in', layer: 'service' },
  collective_mismatch: { meaning: 'ranks disagree about a collective', layer: 'service' },
  collective_timeout: { meaning: 'the watchdog of a rank ended a collective after its timeout', layer: 'service' },
  job_cancelled: { meaning: 'a person, a limit or a job of higher priority ended a job', layer: 'service' },
  job_failed: { meaning: 'a job, or a process of it, ended with an error', layer: 'service' },
  rank_failed: { meaning: 'a rank ended with an error before all others that its launcher watches', layer: 'service' },
  rank_ended: { meaning: 'a rank ended after another one, or its launcher ended it', layer: 'service' },
  training_resumed: { meaning: 'a training job was started again from an earlier step', layer: 'service' },
  training_diverged: { meaning: 'the loss of a training job is not finite any more', layer: 'service' },
  data_loader_failed: { meaning: 'a data loader lost a worker or timed out', layer: 'service' },
  gpu_out_of_memory: { meaning: 'a process found no free GPU memory', layer: 'service' },
  process_started: { meaning: 'a program wrote that it had started', layer: 'service' },
  process_event: { meaning: 'a process, scheduler or tracer reported an event', layer: 'service' },
} as const satisfies Readonly<Record<string, EventEntry>>;
export type EventType = keyof typeof catalog;

export const eventTypes = Object.keys(catalog) as readonly EventType[];
export const isEventType = (type: string): type is EventType => Object.hasOwn(catalog, type);

/** What is known of a type; undefined for one that a recording brought. */
export const eventEntry = (type: string): EventEntry | undefined => (isEventType(type) ? catalog[type] : undefined);

/** A state that lasts from the event that opens it to the event that closes it. */
export interface EventState {
  /** As its lane is called. */
  readonly state: StateName;
  /** Name of the state that the event begins. */
  readonly opens: Readonly<Partial<Record<EventType, string>>>;
  /** Name of what holds again from the event on. */
  readonly closes: Readonly<Partial<Record<EventType, string>>>;
  readonly metrics: readonly MetricName[];
}

const side = (state: StateName, which: 'opens' | 'closes'): Partial<Record<EventType, string>> =>
  Object.fromEntries(
    eventTypes.flatMap((type) => {
      const found = eventEntry(type)?.[which];
      return found?.[0] === state ? [[type, found[1]]] : [];
    }),
  );

export const eventStates: readonly EventState[] = (Object.keys(stateMetrics) as StateName[]).map((state) => ({
  state,
  opens: side(state, 'opens'),
  closes: side(state, 'closes'),
  metrics: stateMetrics[state],
}));

/** What a program or its manager writes of itself: evidence on software (`software/restarts.ts`), or what happened to a job; never on a device. */
export const ofSoftwareAlone: ReadonlySet<string> = new Set<EventType>(['process_started', 'job_failed', 'rank_ended']);

/** Events that close a state. */
export const recoveries: ReadonlySet<EventType> = new Set(eventTypes.filter((type) => eventEntry(type)?.closes));
