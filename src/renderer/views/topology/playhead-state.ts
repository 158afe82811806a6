import { bisectRight } from '../../../base/bisect.ts';
import type { IncidentView, LaneData, LaneEvents } from '../../../model/contract/index.ts';
import { severities } from '../../../model/entity.ts';
import type { FindingView } from '../../../model/incident/finding.ts';
import { recoveries } from '../../../model/telemetry/event-catalog.ts';
import { messages } from './messages.ts';

/** State of an entity at an instant. */
export interface EntityState {
  /** 0 critical .. 3 low; null: nothing recent. */
  readonly severity: number | null;
  /** Type of the event behind the state, or the name of the state. */
  readonly type: string;
  /** Seconds since the event. */
  readonly age_s: number;
  /** Evidence id; null if no single event is behind the state. */
  readonly ref: string | null;
}

export const quiet: EntityState = { severity: null, type: '', age_s: 0, ref: null };
/** Not readable, or not recorded: never shown as quiet. */
export const unread: EntityState = { severity: null, type: messages.node.unknown, age_s: 0, ref: null };
/** Not yet read: neither quiet nor unknown. */
export const loading: EntityState = { severity: null, type: messages.node.loading, age_s: 0, ref: null };

/** An event colours its entity for as long as the correlator looks back for causes. */
export const RECENT_S = 60;

const isRecovery = (type: string): boolean => (recoveries as ReadonlySet<string>).has(type);

/** State from the events of a lane: the most severe recent one without a recovery since. */
export function stateFromEvents(events: LaneEvents, at_s: number): EntityState {
  const last = bisectRight(events.offset_s, at_s) - 1;
  let worst: EntityState = quiet;
  for (let i = last; i >= 0; i--) {
    const age_s = at_s - events.offset_s[i]!;
    if (age_s > RECENT_S) break;
    const type = events.types[events.type[i]!] ?? '';
    const severity = events.severity[i]!;
    if (worst.severity === null || severity < worst.severity)
      worst = { severity, type, age_s, ref: `event:${events.event_id[i]}` };
    // A recovery ends everything before it.
    if (isRecovery(type)) break;
  }
  return worst;
}

/** If events are counted in buckets, only the presence of less severe events is known. */
function stateFromDensity(events: LaneEvents, share: number, worst: number | null): EntityState {
  const bucket = Math.min(events.density.length - 1, Math.floor(share * events.density.length));
  const count = events.density[bucket] ?? 0;
  const severity = Math.max(worst ?? 3, events.mildest + 1);
  return count > 0 ? { severity, type: messages.node.events(count), age_s: 0, ref: null } : quiet;
}

export interface StateWindow {
  readonly startNs: bigint;
  readonly endNs: bigint;
}

/** State from an events lane at an instant; unknown outside of the loaded window. */
export function stateAt(
  data: LaneData | undefined,
  { startNs, endNs }: StateWindow,
  at: bigint,
  worst: number | null,
): EntityState {
  if (data?.kind !== 'events' || at < startNs || at > endNs) return unread;
  const at_s = Number(at - startNs) / 1e9;
  const eventState = stateFromEvents(data, at_s);
  if (!data.truncated || eventState.severity !== null) return eventState;
  return stateFromDensity(data, Number(at - startNs) / Math.max(1, Number(endNs - startNs)), worst);
}

/** A GPU in a finding while that lasts: its samples may show what it did not report. */
export function findingState(findings: readonly FindingView[], key: string, at: bigint): EntityState {
  const now = findings.find(
    ({ start_ns, end_ns, entities }) =>
      start_ns <= at && at <= end_ns && entities.some(({ kind, id }) => `${kind}:${id}` === key),
  );
  if (!now) return quiet;
  const severity = severities.indexOf(now.severity);
  return { severity, type: now.title, age_s: Number(at - now.start_ns) / 1e9, ref: now.evidence[0]?.refs[0] ?? null };
}

/** A service is degraded while its impact lasts, whatever its events report. */
export function impactState(incidents: readonly IncidentView[], service: string, at: bigint): EntityState {
  const now = incidents.find((view) => view.service === service && view.onset_ns <= at && view.end_ns >= at);
  if (!now) return quiet;
  return { severity: 0, type: 'degraded', age_s: Number(at - now.onset_ns) / 1e9, ref: now.onset_ref };
}

/** The more severe of two states; if equal, the later. */
export function worse(a: EntityState, b: EntityState): EntityState {
  if (a.severity === null) return b.severity === null && b.type === '' ? a : b;
  if (b.severity === null) return a;
  if (a.severity !== b.severity) return a.severity < b.severity ? a : b;
  return a.age_s <= b.age_s ? a : b;
}
