import type { LifeStage } from '../../../model/incident/lifecycle.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';

/**
 * Repair stages of programs. Names of NVSentinel's modules (docs/designs/031-OTEL-traces.md of that project), as service names
 * and as prefixes of span names, with `-` or `_`; support for another remediation system is a line here.
 */
const programs: ReadonlyMap<string, LifeStage> = new Map(
  Object.entries<LifeStage>({
    gpu_health_monitor: 'detection',
    syslog_health_monitor: 'detection',
    csp_health_monitor: 'detection',
    nic_health_monitor: 'detection',
    kubernetes_object_monitor: 'detection',
    platform_connector: 'detection',
    platform_connectors: 'detection',
    health_events_analyzer: 'detection',
    analyzer: 'detection',
    fault_quarantine: 'quarantine',
    fault_quarantine_module: 'quarantine',
    node_drainer: 'drain',
    node_drainer_module: 'drain',
    fault_remediation: 'remediation',
    fault_remediation_module: 'remediation',
    janitor: 'remediation',
    janitor_provider: 'remediation',
  }),
);

export const programNames: readonly string[] = [...programs.keys()];

const plain = (name: string): string => name.toLowerCase().replaceAll('-', '_');

/** By service, else by the prefix of the span name; null: not part of a repair. */
export function stageOfSpan(service: string, name: string): LifeStage | null {
  const prefix = /^([a-z][a-z0-9_-]*)\./i.exec(name)?.[1] ?? '';
  return programs.get(plain(service)) ?? programs.get(plain(prefix)) ?? null;
}

const events: Readonly<Partial<Record<EventType, LifeStage>>> = {
  health_check_failed: 'detection',
  xid_error: 'detection',
  node_condition: 'detection',
  node_not_ready: 'detection',
  node_quarantined: 'quarantine',
  node_tainted: 'quarantine',
  node_draining: 'drain',
  node_drain_failed: 'drain',
  node_drained: 'drain',
  node_remediated: 'remediation',
  node_unquarantined: 'recovery',
  health_check_passed: 'recovery',
  node_ready: 'recovery',
};

/** Event types of repairs. */
export const stageEvents: readonly string[] = Object.keys(events);
export const stageOfEvent = (type: string): LifeStage | null => events[type as EventType] ?? null;
