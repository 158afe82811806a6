import type { EntityKind, Severity } from '../../../model/entity.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import type { EventDetails, Qualifier } from '../../../model/telemetry/event-details.ts';
import { type MetricName, unnamedReasons } from '../../../model/telemetry/metric.ts';
import { derive } from './parameters.ts';

/** Text and type of a derived event. */
export interface EventWording {
  readonly type: EventType;
  readonly severity: Severity;
  readonly message: string;
  readonly details?: EventDetails;
}

/** A counter grows for a while. */
export interface GrowthRule extends EventWording {
  /** Growth per second below which the counter is normal; without it all growth is an event. */
  readonly leastPerSecond?: () => number;
  /** The event at the last growth of a burst. */
  readonly ends?: EventWording;
}

const qualified = (...names: readonly Qualifier[]): { readonly details: EventDetails } => ({
  details: { qualifiers: [...names] },
});

/** A series is in some state for a while: the beginning is an event, and so may be the end. */
export interface EpisodeRule {
  readonly metric: MetricName;
  /** Distinguishes rules of one metric in event ids. */
  readonly name: string;
  readonly holds: (value: number) => boolean;
  readonly begins: (value: number, kind: EntityKind) => EventWording | undefined;
  readonly ends?: (kind: EntityKind) => EventWording | undefined;
}

const always = (wording: EventWording) => () => wording;
const mask = (bits: number) => (value: number) => (value & bits) !== 0;
const is =
  (...states: readonly number[]) =>
  (value: number) =>
    states.includes(value);

const settingOf = (value: number): string =>
  value & 0x2 ? 'the applications clocks setting' : value & 0x10 ? 'sync boost' : 'the display clock setting';

/** Bits as in `clocksEventReasons`; 0x8 alone, because 0x40 or 0x80 state the reason. */
const throttling: readonly EpisodeRule[] = [
  {
    metric: 'hw.gpu.clocks_event_reasons',
    name: 'thermal',
    holds: mask(0x20 | 0x40),
    begins: (value) => ({
      type: 'thermal_throttle',
      severity: value & 0x40 ? 'high' : 'medium',
      message: value & 0x40 ? 'hardware thermal slowdown' : 'software thermal slowdown',
      ...qualified(value & 0x40 ? 'hardware_slowdown' : 'software_slowdown'),
    }),
    ends: always({ type: 'throttle_ended', severity: 'low', message: 'thermal slowdown ended' }),
  },
  {
    metric: 'hw.gpu.clocks_event_reasons',
    name: 'power brake',
    holds: mask(0x80),
    begins: always({
      type: 'power_brake',
      severity: 'high',
      message: 'external power brake asserted',
      ...qualified('power_brake'),
    }),
    ends: always({ type: 'throttle_ended', severity: 'low', message: 'power brake released' }),
  },
  {
    metric: 'hw.gpu.clocks_event_reasons',
    name: 'power cap',
    holds: mask(0x4),
    begins: always({
      type: 'power_cap_applied',
      severity: 'low',
      message: 'held down by its power limit',
      ...qualified('at_limit'),
    }),
    ends: always({ type: 'throttle_ended', severity: 'low', message: 'no longer at its power limit' }),
  },
  {
    metric: 'hw.gpu.clocks_event_reasons',
    name: 'hardware slowdown',
    holds: (value) => (value & 0x8) !== 0 && (value & (0x40 | 0x80)) === 0,
    begins: always({
      type: 'hw_slowdown',
      severity: 'high',
      message: 'hardware slowdown without a stated reason',
      ...qualified('hardware_slowdown'),
    }),
    ends: always({ type: 'throttle_ended', severity: 'low', message: 'hardware slowdown ended' }),
  },
  {
    metric: 'hw.gpu.clocks_event_reasons',
    name: 'clock setting',
    holds: mask(0x2 | 0x10 | 0x100),
    begins: (value) => ({
      type: 'clocks_limited',
      severity: 'low',
      message: `clocks held down by ${settingOf(value)}`,
    }),
    ends: always({ type: 'throttle_ended', severity: 'low', message: 'clocks no longer held down by a setting' }),
  },
  {
    metric: 'hw.gpu.clocks_event_reasons',
    name: 'unknown reason',
    holds: (value) => unnamedReasons(value) > 0,
    begins: (value) => ({
      type: 'hw_slowdown',
      severity: 'medium',
      message: `throttled for an unnamed reason (0x${unnamedReasons(value).toString(16)})`,
    }),
    ends: always({
      type: 'throttle_ended',
      severity: 'low',
      message: 'no longer throttled for an unnamed reason',
    }),
  },
];

const isOn = (value: number): boolean => value > 0;

/** States that an agent made of the mask: whether it is a limit or the brake, software or hardware, is in other series. */
const throttleStates: readonly EpisodeRule[] = [
  {
    metric: 'gpu.throttle.thermal_active',
    name: 'thermal',
    holds: isOn,
    begins: always({ type: 'thermal_throttle', severity: 'medium', message: 'thermal slowdown' }),
    ends: always({ type: 'throttle_ended', severity: 'low', message: 'thermal slowdown ended' }),
  },
  {
    metric: 'gpu.throttle.power_active',
    name: 'power',
    holds: isOn,
    begins: always({
      type: 'power_cap_applied',
      severity: 'low',
      message: 'held down for power: limit or power brake',
    }),
    ends: always({ type: 'throttle_ended', severity: 'low', message: 'no longer held down for power' }),
  },
  {
    metric: 'gpu.throttle.hw_active',
    name: 'hardware',
    holds: isOn,
    begins: always({
      type: 'hw_slowdown',
      severity: 'high',
      message: 'slowed down by hardware',
      ...qualified('hardware_slowdown'),
    }),
    ends: always({ type: 'throttle_ended', severity: 'low', message: 'hardware slowdown ended' }),
  },
  {
    metric: 'gpu.throttle.sw_active',
    name: 'software',
    holds: isOn,
    begins: always({ type: 'clocks_limited', severity: 'low', message: 'clocks held down by software' }),
    ends: always({ type: 'throttle_ended', severity: 'low', message: 'clocks no longer held down by software' }),
  },
];

const power: readonly EpisodeRule[] = [
  {
    metric: 'hw.ups.output_source',
    name: 'battery',
    holds: is(5),
    begins: always({ type: 'ups_transfer', severity: 'high', message: 'on battery' }),
    ends: always({ type: 'ups_restored', severity: 'low', message: 'no longer on battery' }),
  },
  {
    metric: 'hw.ups.output_source',
    name: 'no output',
    holds: is(2),
    begins: always({ type: 'ups_output_off', severity: 'critical', message: 'no output' }),
    ends: always({ type: 'ups_output_on', severity: 'low', message: 'output again' }),
  },
  {
    metric: 'hw.ups.output_source',
    name: 'bypass',
    holds: is(4),
    begins: always({ type: 'ups_alarm', severity: 'medium', message: 'output is on bypass, unprotected' }),
  },
  {
    metric: 'hw.battery.state',
    name: 'weak',
    holds: is(3, 4, 5),
    begins: (value) => ({
      type: 'ups_battery_low',
      severity: value === 4 ? 'critical' : 'high',
      message: value === 3 ? 'battery low' : value === 4 ? 'battery depleted' : 'battery fault',
    }),
  },
  {
    metric: 'hw.outlet.state',
    name: 'off',
    holds: is(0),
    begins: always({ type: 'outlet_off', severity: 'high', message: 'went off' }),
    ends: always({ type: 'outlet_on', severity: 'low', message: 'went on' }),
  },
  {
    metric: 'hw.load.state',
    name: 'overload',
    holds: is(4),
    begins: always({ type: 'pdu_overload', severity: 'high', message: 'overloaded' }),
  },
];

const cooling: readonly EpisodeRule[] = [
  {
    metric: 'hw.cooling.state',
    name: 'off',
    holds: is(0),
    // As a log line that the unit is off. A unit in standby waits for its turn.
    begins: always({ type: 'cooling_failure', severity: 'high', message: 'went off' }),
    ends: always({ type: 'fan_restored', severity: 'low', message: 'is no longer off' }),
  },
];

const failedPart = (kind: EntityKind): EventType =>
  kind === 'psu' ? 'psu_failure' : kind === 'cooling' ? 'fan_failure' : 'host_degradation';
const recoveredPart = (kind: EntityKind): EventType => (kind === 'psu' ? 'psu_restored' : 'host_recovered');

const health: readonly EpisodeRule[] = [
  {
    metric: 'hw.status',
    name: 'unhealthy',
    holds: (value) => value >= 1,
    begins: (value, kind) => ({
      type: failedPart(kind),
      severity: value >= 2 ? 'high' : 'medium',
      message: value >= 2 ? 'health is critical' : 'health is a warning',
      ...(value >= 2 ? {} : qualified('warning')),
    }),
    ends: (kind) => ({ type: recoveredPart(kind), severity: 'low', message: 'health is OK again' }),
  },
  {
    metric: 'hw.present',
    name: 'gone',
    holds: is(0),
    // An empty slot is no failure: only removal counts, so the first sample is ignored.
    begins: (_, kind) => ({ type: failedPart(kind), severity: 'high', message: 'is no longer present' }),
    ends: (kind) => ({ type: recoveredPart(kind), severity: 'low', message: 'is present again' }),
  },
  {
    metric: 'hw.link.state',
    name: 'down',
    holds: is(0),
    begins: always({ type: 'link_down', severity: 'high', message: 'link went down' }),
    ends: always({ type: 'link_up', severity: 'low', message: 'link came up' }),
  },
  {
    metric: 'cloud.status_check.failed',
    name: 'failed',
    holds: (value) => value > 0,
    begins: always({ type: 'host_degradation', severity: 'high', message: 'status check failed' }),
    ends: always({ type: 'host_recovered', severity: 'low', message: 'status check passes again' }),
  },
  {
    metric: 'hw.gpu.rows.remap_pending',
    name: 'pending',
    holds: is(1),
    begins: always({
      type: 'row_remap',
      severity: 'medium',
      message: 'row remapping pending a reset',
      ...qualified('remap_pending'),
    }),
  },
  {
    metric: 'hw.gpu.rows.remap_failed',
    name: 'failed',
    holds: is(1),
    begins: always({
      type: 'row_remap',
      severity: 'high',
      message: 'row remapping failed',
      ...qualified('remap_failed'),
    }),
  },
];

export const episodeRules: readonly EpisodeRule[] = [...throttling, ...throttleStates, ...power, ...cooling, ...health];

const congested = (message: string): GrowthRule => ({
  type: 'network_congestion',
  severity: 'medium',
  message,
  ends: { type: 'congestion_ended', severity: 'low', message: `no more ${message}` },
});

/** Counters whose growth is an event; a decrease is a counter reset. */
export const growthRules: Readonly<Partial<Record<MetricName, GrowthRule>>> = {
  'hw.gpu.ecc.uncorrected': {
    type: 'ecc_error',
    severity: 'high',
    message: 'uncorrected memory errors',
    ...qualified('uncorrected'),
  },
  'hw.gpu.ecc.corrected': {
    type: 'ecc_error',
    severity: 'low',
    message: 'corrected memory errors',
    ...qualified('corrected'),
  },
  'hw.gpu.rows.remapped.uncorrected': {
    type: 'row_remap',
    severity: 'high',
    message: 'rows remapped, uncorrected',
    ...qualified('rows_remapped', 'uncorrected'),
  },
  'hw.gpu.rows.remapped.corrected': {
    type: 'row_remap',
    severity: 'medium',
    message: 'rows remapped, corrected',
    ...qualified('rows_remapped', 'corrected'),
  },
  'hw.nvlink.errors': { type: 'nvlink_error', severity: 'medium', message: 'NVLink errors' },
  'hw.gpu.pcie.replays': { type: 'pcie_error', severity: 'low', message: 'PCIe replays' },
  'hw.poe.denied': { type: 'port_power_exceeded', severity: 'medium', message: 'requests for power denied' },
  'hw.poe.overload': { type: 'port_power_exceeded', severity: 'high', message: 'overloads' },
  'hw.network.discards': { ...congested('packets dropped'), leastPerSecond: () => derive.leastDiscardsPerSecond },
  'hw.network.pause': { ...congested('pause frames'), leastPerSecond: () => derive.leastPausesPerSecond },
  'hw.cpu.throttle': { type: 'thermal_throttle', severity: 'low', message: 'thermal throttles' },
};

/**
 * `hw.errors` by the kind of component (`hw.type`) and of error (`error.type`); undefined: errors of such a component are no
 * event of their own.
 */
export function componentErrors(component: unknown, error: unknown): EventWording | undefined {
  const type = component === 'memory' ? 'memory_error' : component === 'cpu' ? 'machine_check' : undefined;
  if (type === undefined) return undefined;
  const kind = error === 'corrected' || error === 'uncorrected' ? error : undefined;
  return {
    type,
    severity: kind === 'uncorrected' ? 'high' : kind === 'corrected' ? 'low' : 'medium',
    message: `${kind === undefined ? '' : `${kind} `}errors of ${component === 'cpu' ? 'a processor' : 'memory'}`,
    ...(kind === undefined ? {} : qualified(kind)),
  };
}

/** A series with limits, which the device states in the series' attributes. */
export interface LimitRule {
  readonly below?: EventWording;
  readonly above?: EventWording;
  readonly back: EventWording;
  /**
   * If the device states no limits: shares of the series' own median. IEC 61000-4-30 calls a voltage under 90 % a
   * dip and over 110 % a swell, and takes 2 % of hysteresis.
   */
  readonly ofMedian?: { readonly low: number; readonly high: number };
}
export const limitRules: Readonly<Partial<Record<MetricName, LimitRule>>> = {
  'hw.voltage': {
    below: { type: 'voltage_sag', severity: 'high', message: 'voltage fell' },
    above: { type: 'voltage_swell', severity: 'medium', message: 'voltage rose' },
    back: { type: 'voltage_restored', severity: 'low', message: 'voltage is back' },
    ofMedian: { low: 0.9, high: 1.1 },
  },
  'hw.temperature': {
    above: { type: 'temperature_high', severity: 'high', message: 'temperature rose' },
    back: { type: 'temperature_restored', severity: 'low', message: 'temperature is back' },
  },
  'hw.fan.speed': {
    below: { type: 'fan_failure', severity: 'high', message: 'fan speed fell' },
    back: { type: 'fan_restored', severity: 'low', message: 'fan speed is back' },
  },
  'hw.fan.speed_ratio': {
    below: { type: 'fan_failure', severity: 'high', message: 'fan speed fell' },
    back: { type: 'fan_restored', severity: 'low', message: 'fan speed is back' },
  },
  'hw.coolant.flow': {
    below: { type: 'coolant_flow_low', severity: 'high', message: 'coolant flow fell' },
    back: { type: 'coolant_flow_restored', severity: 'low', message: 'coolant flow is back' },
  },
};
