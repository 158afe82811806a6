import type { EventType } from './event-type.ts';
import type { MetricName } from './metric.ts';

/** What a thing is in between two events: the one says that it began, the other that it is over. */
export interface EventState {
  /** As its lane is called. */
  readonly state: string;
  /** Name of the state that the event begins. */
  readonly opens: Readonly<Partial<Record<EventType, string>>>;
  /** Name of what holds again from the event on. */
  readonly closes: Readonly<Partial<Record<EventType, string>>>;
  /** A series of these shows the same, sample by sample: then the events are not asked. */
  readonly metrics: readonly MetricName[];
}

export const eventStates: readonly EventState[] = [
  {
    state: 'power source',
    opens: { ups_transfer: 'on battery' },
    closes: { ups_restored: 'on mains' },
    metrics: ['hw.ups.output_source'],
  },
  {
    state: 'supply',
    opens: { psu_failure: 'supply failed', psu_failover: 'on one supply' },
    closes: { psu_restored: 'supplied' },
    metrics: [],
  },
  {
    state: 'voltage',
    opens: { voltage_sag: 'sag', voltage_swell: 'swell' },
    closes: { voltage_restored: 'within limits' },
    metrics: [],
  },
  { state: 'outlet', opens: { outlet_off: 'off' }, closes: { outlet_on: 'on' }, metrics: ['hw.outlet.state'] },
  {
    state: 'coolant flow',
    opens: { coolant_flow_low: 'low' },
    closes: { coolant_flow_restored: 'as it should' },
    metrics: [],
  },
  { state: 'fan', opens: { fan_failure: 'failed' }, closes: { fan_restored: 'turns' }, metrics: [] },
  {
    state: 'temperature limit',
    opens: { temperature_high: 'too hot' },
    closes: { temperature_restored: 'within limits' },
    metrics: [],
  },
  {
    state: 'power limit',
    opens: { cpu_power_cap: 'capped' },
    closes: { power_cap_removed: 'not capped' },
    metrics: [],
  },
  {
    state: 'throttle reason',
    opens: {
      thermal_throttle: 'thermal',
      power_brake: 'power brake',
      power_cap_applied: 'power cap',
      hw_slowdown: 'hardware slowdown',
    },
    closes: { throttle_ended: 'none' },
    metrics: ['hw.gpu.clocks_event_reasons'],
  },
  { state: 'link', opens: { link_down: 'down' }, closes: { link_up: 'up' }, metrics: ['hw.link.state'] },
  {
    state: 'PCIe link',
    opens: { pcie_link_degraded: 'fewer lanes' },
    closes: { pcie_link_restored: 'all lanes' },
    metrics: ['hw.pcie.link.width'],
  },
  { state: 'readiness', opens: { node_not_ready: 'not ready' }, closes: { node_ready: 'ready' }, metrics: [] },
  {
    state: 'scheduling',
    opens: { node_quarantined: 'quarantined', node_tainted: 'tainted' },
    closes: { node_unquarantined: 'in service' },
    metrics: [],
  },
  { state: 'host', opens: { host_degradation: 'degraded' }, closes: { host_recovered: 'healthy' }, metrics: [] },
  {
    state: 'health check',
    opens: { health_check_failed: 'failing' },
    closes: { health_check_passed: 'passing' },
    metrics: [],
  },
];
