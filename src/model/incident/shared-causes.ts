import type { Hypothesis, Incident } from './incident.ts';

/** Incidents at one time that have one cause: to people they are one incident with so many affected services. */
export interface SharedCause<T> {
  /** The most probable of what its members name; null of an incident by itself. */
  readonly cause: Hypothesis | null;
  /** In the order in which they were given, at least one. */
  readonly members: readonly T[];
}

/** An incident and what to name as its cause: what was computed, or judged by the investigator. */
export interface NamedIncident {
  readonly incident: Pick<Incident, 'window_start' | 'window_end'>;
  readonly leading: Hypothesis | null;
}

/** A cause that is less probable is not named by an incident at all. */
const LEAST_PROBABILITY = 0.3;

/**
 * Joins incidents that overlap in time and name the same entity as their cause. Those that name none (no physical cause, not enough
 * evidence) stay alone, whatever happened beside them.
 */
export function bySharedCause<T extends NamedIncident>(incidents: readonly T[]): SharedCause<T>[] {
  const groups: { key: string; end: number; start: number; members: T[] }[] = [];
  for (const one of incidents) {
    const key = keyOf(one.leading);
    const [start, end] = [Date.parse(one.incident.window_start), Date.parse(one.incident.window_end)];
    const known =
      key === '' ? undefined : groups.find((group) => group.key === key && start <= group.end && group.start <= end);
    if (known) {
      known.members.push(one);
      known.start = Math.min(known.start, start);
      known.end = Math.max(known.end, end);
    } else groups.push({ key, start, end, members: [one] });
  }
  return groups.map(({ members }) => ({ cause: members.length > 1 ? surest(members) : null, members }));
}

const keyOf = (leading: Hypothesis | null): string =>
  leading?.subject && leading.probability >= LEAST_PROBABILITY ? `${leading.subject.kind}:${leading.subject.id}` : '';

const surest = (members: readonly NamedIncident[]): Hypothesis | null =>
  members.reduce<Hypothesis | null>(
    (best, { leading }) => (leading && leading.probability > (best?.probability ?? -1) ? leading : best),
    null,
  );
