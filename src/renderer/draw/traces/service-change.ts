import type { ServiceCall, ServiceGraph } from '../../../model/contract/index.ts';

type Service = ServiceGraph['services'][number];

/** How a call, or a service, differs from before. */
export type ServiceChange = 'new' | 'gone' | 'failing' | 'slower' | 'faster' | null;

export interface ComparedCall extends ServiceCall {
  /** The same call before; null: there was none. */
  readonly before: Figures | null;
  readonly change: ServiceChange;
}

export interface ComparedService extends Service {
  readonly before: Figures | null;
  readonly change: ServiceChange;
}

export interface ComparedGraph {
  readonly services: readonly ComparedService[];
  readonly calls: readonly ComparedCall[];
  /** Whether anything was recorded before; false: nothing is compared. */
  readonly isCompared: boolean;
}

interface Figures {
  readonly calls: number;
  readonly errors: number;
  readonly p95_ms: number | null;
}

/** Of fewer calls a p95 is mostly chance. */
const LEAST_CALLS = 20;
const SLOWER = 1.5;
const FAILING = 0.01;
const LEAST_ERRORS = 3;
const FAILING_TIMES = 2;

/** One call in a hundred fails, and not only one or two by chance. */
export const isFailing = ({ calls, errors }: Pick<Figures, 'calls' | 'errors'>): boolean =>
  errors >= LEAST_ERRORS && errors >= FAILING * calls;

/** Both graphs as one: what vanished stays in it with no calls. */
export function compareGraphs(now: ServiceGraph, before: ServiceGraph | null): ComparedGraph {
  const isCompared = before !== null && before.services.length > 0;
  const callKey = ({ caller, callee }: ServiceCall): string => JSON.stringify([caller, callee]);
  const calls = paired(now.calls, isCompared ? before.calls : null, callKey);
  const services = paired(now.services, isCompared ? before.services : null, ({ service }) => service);
  return { services, calls, isCompared };
}

function paired<T extends Figures>(
  now: readonly T[],
  before: readonly T[] | null,
  keyOf: (one: T) => string,
): (T & { before: Figures | null; change: ServiceChange })[] {
  const earlier = new Map((before ?? []).map((one) => [keyOf(one), one]));
  const known = new Set(now.map(keyOf));
  const gone = (before ?? []).filter((one) => !known.has(keyOf(one)));
  return [
    ...now.map((one) => {
      const old = earlier.get(keyOf(one)) ?? null;
      return { ...one, before: old, change: before === null ? null : changeOf(one, old) };
    }),
    ...gone.map((one) => ({ ...one, calls: 0, errors: 0, before: one, change: 'gone' as const })),
  ];
}

function changeOf(now: Figures, before: Figures | null): ServiceChange {
  if (before === null) return 'new';
  const share = ({ calls, errors }: Figures): number => (calls === 0 ? 0 : errors / calls);
  if (isFailing(now) && share(now) >= FAILING_TIMES * share(before)) return 'failing';
  if (Math.min(now.calls, before.calls) < LEAST_CALLS || now.p95_ms === null || before.p95_ms === null) return null;
  if (now.p95_ms >= SLOWER * before.p95_ms) return 'slower';
  return now.p95_ms * SLOWER <= before.p95_ms ? 'faster' : null;
}
