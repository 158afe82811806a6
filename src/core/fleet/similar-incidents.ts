import { z } from 'zod';
import type { FleetStore } from '../../model/storage/fleet-store.ts';
import type { FleetIncident } from './fleet-incident.ts';
import { requireTables } from './push-case.ts';
import { fleetQueries } from './queries/index.ts';
import { rowsOf, wholeNumber } from './question.ts';

const texts = z.array(z.string());
const pastRow = z.object({
  Case: z.string(),
  Incident: z.string(),
  Impacted: z.string(),
  Harm: z.string(),
  TimesWorse: z.number(),
  Verdict: z.string(),
  Cause: z.string(),
  CauseType: z.string(),
  Suspects: texts,
  Chain: texts,
  Patterns: texts,
  Title: z.string(),
  Severity: z.string(),
  Owner: z.string(),
  Actions: texts,
  Done: texts,
  start_ns: wholeNumber,
  end_ns: wholeNumber,
});
type PastIncident = z.output<typeof pastRow>;

export const likenesses = ['cause', 'device', 'patterns', 'suspects', 'chain', 'harm'] as const;
export type Likeness = (typeof likenesses)[number];

export interface SimilarIncident extends PastIncident {
  /** 0 to 1: how much of what is known of the two is the same. */
  readonly likeness: number;
  /** In what they are alike, what weighs most first. */
  readonly alike: readonly Likeness[];
}

/** How much each weighs: chosen, not fitted. The same cause alone is enough to be listed; the same harm is not. */
const weights: Readonly<Record<Likeness, number>> = {
  cause: 4,
  patterns: 3,
  chain: 2,
  device: 1,
  suspects: 1,
  harm: 0.5,
};
const LEAST_LIKENESS = 0.3;
const MOST = 10;

/** Past incidents of a fleet that are like one of a case, the most alike first. */
export async function similarIncidents(
  store: FleetStore,
  incident: FleetIncident,
  signal: AbortSignal,
): Promise<SimilarIncident[]> {
  const values = {
    service: incident.Service,
    before: incident.Start,
    cause_type: incident.CauseType,
    patterns: incident.Patterns,
  };
  await requireTables(store, signal);
  const past = await rowsOf(pastRow, { store, signal }, fleetQueries.pastIncidents, values);
  return past
    .map((one) => ({ ...one, ...compare(incident, one) }))
    .filter(({ likeness }) => likeness >= LEAST_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness || (a.start_ns > b.start_ns ? -1 : 1))
    .slice(0, MOST);
}

function compare(a: FleetIncident, b: PastIncident): Pick<SimilarIncident, 'likeness' | 'alike'> {
  const shares: Readonly<Record<Likeness, number | null>> = {
    cause: a.CauseType === '' || b.CauseType === '' ? null : Number(a.CauseType === b.CauseType),
    device: a.Cause === '' || b.Cause === '' ? null : Number(a.Cause === b.Cause),
    patterns: overlap(a.Patterns, b.Patterns),
    suspects: overlap(a.Suspects.map(typeOf), b.Suspects.map(typeOf)),
    chain: overlap(a.Chain, b.Chain),
    harm: Number(a.Harm === b.Harm),
  };
  const known = likenesses.filter((name) => shares[name] !== null);
  const total = known.reduce((sum, name) => sum + weights[name], 0);
  const same = known.reduce((sum, name) => sum + weights[name] * (shares[name] ?? 0), 0);
  const alike = known.filter((name) => (shares[name] ?? 0) >= 0.5);
  return { likeness: same / total, alike: alike.sort((x, y) => weights[y] - weights[x]) };
}

/** Of `pdu:PDU-B voltage_sag`. */
const typeOf = (hypothesis: string): string => hypothesis.slice(hypothesis.lastIndexOf(' ') + 1);

/** Share of all that both have; null: neither has any. */
function overlap(a: readonly string[], b: readonly string[]): number | null {
  const all = new Set([...a, ...b]);
  if (all.size === 0) return null;
  const second = new Set(b);
  return new Set(a.filter((one) => second.has(one))).size / all.size;
}
