import { servers } from './cluster.ts';
import type { Random } from './random.ts';

/** Thirty minutes; feed B of rack-22 sags after eighteen of them. */
export const START_MS = Date.UTC(2026, 2, 14, 2, 0, 0);
export const DURATION_S = 1800;
export const SAG_S = 1082.4;
/** The feed is back, and the caps are lifted. */
export const RECOVERED_S = 1245;

const HIT_RACK = 'rack-22';
/** Of the four servers on the sagging feed one never reports over its BMC: real racks have such a server. */
const SILENT_SERVER = 'gpu-node-08';
export const hitServers = servers.filter(({ rack }) => rack === HIT_RACK);

/** Seconds after START at which a server's GPUs are slowed down; undefined when they never are. */
export function brakedFrom(server: string): number | undefined {
  const index = hitServers.findIndex(({ name }) => name === server);
  return index < 0 ? undefined : SAG_S + 3.1 + 0.35 * index;
}

export const isBraked = (server: string, at_s: number): boolean => {
  const from = brakedFrom(server);
  return from !== undefined && at_s >= from && at_s < RECOVERED_S;
};

interface PhysicalEvent {
  readonly id: string;
  readonly timestamp: string;
  readonly source: string;
  readonly type: string;
  readonly severity: 'critical' | 'high' | 'medium' | 'low';
  readonly device_id: string;
  readonly raw_message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export const timeAt = (at_s: number): string => new Date(START_MS + Math.round(at_s * 1000)).toISOString();

/** The sag with its consequences, and the decoys around it. */
export function physicalEvents(random: Random): PhysicalEvent[] {
  const events: Omit<PhysicalEvent, 'id' | 'timestamp'>[] = [];
  const times: number[] = [];
  const add = (at_s: number, event: Omit<PhysicalEvent, 'id' | 'timestamp'>) => {
    times.push(at_s);
    events.push(event);
  };
  decoys(add);
  add(SAG_S, {
    source: 'pdu_snmp',
    type: 'voltage_sag',
    severity: 'critical',
    device_id: `PDU-B-${HIT_RACK}`,
    raw_message: 'Input voltage 161.2 V below threshold 207.0 V on all phases',
    metadata: { voltage_v: 161.2, threshold_v: 207, phase: 'L1-L3' },
  });
  for (const [index, { name, gpus }] of hitServers.entries()) {
    const failover = SAG_S + 0.6 + random.between(0, 0.5);
    if (name !== SILENT_SERVER) {
      add(failover, {
        source: 'redfish',
        type: 'psu_failover',
        severity: 'critical',
        device_id: name,
        raw_message: 'Power supply redundancy lost: PSU-B input lost, PSU-A carries the load',
        metadata: { failed_psu: 'PSU-B', active_psu: 'PSU-A', message_id: 'Power.1.0.PowerSupplyRedundancyLost' },
      });
      add(SAG_S + 1.7 + random.between(0, 0.6), {
        source: 'rapl',
        type: 'cpu_power_cap',
        severity: 'medium',
        device_id: name,
        raw_message: 'Package power limit lowered by BMC: 350 W to 220 W',
        metadata: { power_cap_w: 220, previous_power_cap_w: 350, package: 0 },
      });
    }
    const braked = SAG_S + 3.1 + 0.35 * index;
    for (const gpu of gpus.slice(0, 2)) {
      add(braked + random.between(0, 0.3), {
        source: 'nvml',
        type: 'power_cap_applied',
        severity: 'high',
        device_id: gpu,
        raw_message: 'Clock event reasons 0x80: hardware power brake; enforced limit 400 W',
        metadata: { clocks_event_reasons: '0x80', power_limit_w: 400, previous_power_limit_w: 700 },
      });
    }
  }
  add(RECOVERED_S - 4, {
    source: 'pdu_snmp',
    type: 'voltage_restored',
    severity: 'low',
    device_id: `PDU-B-${HIT_RACK}`,
    raw_message: 'Input voltage back to 230.4 V',
    metadata: { voltage_v: 230.4 },
  });
  const order = times.map((_, i) => i).sort((a, b) => times[a]! - times[b]!);
  return order.map((from, i) => ({
    id: `evt_${String(i + 1).padStart(3, '0')}`,
    timestamp: timeAt(times[from]!),
    ...events[from]!,
  }));
}

/** Events of every night that caused nothing here; some are placed where a hasty reader would blame them. */
function decoys(add: (at_s: number, event: Omit<PhysicalEvent, 'id' | 'timestamp'>) => void): void {
  add(312, {
    source: 'ups',
    type: 'ups_self_test',
    severity: 'low',
    device_id: 'UPS-A',
    raw_message: 'Scheduled battery test passed',
    metadata: { last_transfer_reason: 'self-test' },
  });
  add(655, {
    source: 'nvml',
    type: 'xid_error',
    severity: 'medium',
    device_id: 'gpu-node-03/GPU-5',
    raw_message: 'NVRM: Xid (PCI:0000:9b:00): 13, Graphics Engine Exception',
    metadata: { xid: 13 },
  });
  add(SAG_S - 41, {
    source: 'rapl',
    type: 'cpu_power_cap',
    severity: 'low',
    device_id: 'gpu-node-06',
    raw_message: 'Scheduled power policy: package limit 350 W to 340 W',
    metadata: { power_cap_w: 340, previous_power_cap_w: 350, policy: 'nightly' },
  });
  add(SAG_S - 19, {
    source: 'cdu',
    type: 'coolant_temperature_high',
    severity: 'medium',
    device_id: 'CDU-1',
    raw_message: 'Supply temperature 31.2 C above warning 31.0 C',
    metadata: { supply_temperature_c: 31.2 },
  });
  add(SAG_S - 12, {
    source: 'kubernetes',
    type: 'image_pull_failed',
    severity: 'medium',
    device_id: 'inference/vision-caption-15',
    raw_message: 'Failed to pull image: connection reset by peer',
    metadata: { reason: 'ErrImagePull', count: 3 },
  });
  add(SAG_S - 7.5, {
    source: 'nvml',
    type: 'thermal_throttle',
    severity: 'high',
    device_id: 'gpu-node-12/GPU-1',
    raw_message: 'Clock event reasons 0x20: software thermal slowdown at 84 C',
    metadata: { clocks_event_reasons: '0x20', temperature_c: 84 },
  });
  add(1510, {
    source: 'switch_snmp',
    type: 'link_flap',
    severity: 'low',
    device_id: 'tor-rack-24',
    raw_message: 'Ethernet1/17 down, up after 0.4 s',
    metadata: { port: 'Ethernet1/17' },
  });
}
