import type { LifeStage } from '../../../model/incident/lifecycle.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';

/**
 * Which part of a node's repair a program does. Names of NVSentinel's modules (docs/designs/031-OTEL-traces.md of that
 * project), as services call themselves and as prefixes of span names, `-` and `_` alike; another remediation system is a
 * line here.
 */
const programs: Readonly<Record<string, LifeStage>> = {
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
};

export const programNames: readonly string[] = Object.keys(programs);

const plain = (name: string): string => name.toLowerCase().replaceAll('-', '_');

/** By the service that a span is of, else by what its name begins with; null: no part of a repair. */
export function stageOfSpan(service: string, name: string): LifeStage | null {
  const prefix = /^([a-z][a-z0-9_-]*)\./i.exec(name)?.[1] ?? '';
  return programs[plain(service)] ?? programs[plain(prefix)] ?? null;
}

const events: Readonly<Partial<Record<EventType, LifeStage>>> = {
  health_check_failed: 'detection',
  xid_error: 'detection',
  node_condition: 'detection',
  node_not_ready: 'detection',
  node_quarantined: 'quarantine',
  node_tainted: 'quarantine',
  node_drained: 'drain',
  node_remediated: 'remediation',
  node_unquarantined: 'recovery',
  health_check_passed: 'recovery',
  node_ready: 'recovery',
};

/** Types of events that are a part of a repair. */
export const stageEvents: readonly string[] = Object.keys(events);
export const stageOfEvent = (type: string): LifeStage | null => events[type as EventType] ?? null;
