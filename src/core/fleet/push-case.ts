import { z } from 'zod';
import { dashboardLink } from '../../model/grafana-link.ts';
import { fail } from '../../model/problem.ts';
import type { FleetStore } from '../../model/storage/fleet-store.ts';
import { type CaseConclusions, clickhouseTime, fleetFinding, fleetIncident } from './fleet-incident.ts';
import { fleetQueries } from './queries/index.ts';
import { rowsOf } from './question.ts';

export interface Pushed {
  readonly incidents: number;
  readonly findings: number;
  /** Incidents of an earlier push that the case does not have any more. */
  readonly removed: number;
  /** Address of the dashboard at their time; null: there is none. */
  readonly dashboard: string | null;
}

/** What a case covers; null: it has no times. */
export interface Covered {
  readonly first_ns: bigint;
  readonly last_ns: bigint;
}

/**
 * Writes the incidents and findings of a case where its fleet keeps them. Pushing again replaces them; incidents of the same case and
 * time that it does not conclude any more are marked as removed.
 *
 * @throws ProblemError fleet.no_tables, and those of the store
 */
export async function pushCase(
  store: FleetStore,
  conclusions: CaseConclusions,
  covered: Covered | null,
  signal: AbortSignal,
): Promise<Pushed> {
  await requireTables(store, signal);
  const incidents = conclusions.incidents.map((view) => fleetIncident(view, conclusions));
  const findings = conclusions.findings.map((finding) => fleetFinding(finding, conclusions.case));
  const own = new Set(incidents.map(({ Incident }) => Incident));
  const kept = covered ? await keptIncidents(store, conclusions.case, covered, signal) : [];
  const removed = kept.filter((incident) => !own.has(incident));
  await store.put('faultline_incidents', incidents, signal);
  await store.put(
    'faultline_incidents',
    removed.map((Incident) => ({ Case: conclusions.case, Incident, Removed: 1 })),
    signal,
  );
  await store.put('faultline_findings', findings, signal);
  const dashboard = dashboardOf(store, conclusions);
  return { incidents: incidents.length, findings: findings.length, removed: removed.length, dashboard };
}

/** Time around the incidents, to see what led to them. */
const AROUND_NS = 600_000_000_000n;

function dashboardOf({ grafana }: FleetStore, { incidents }: CaseConclusions): string | null {
  const [first] = incidents;
  if (grafana === null || first === undefined) return null;
  const earliest = incidents.reduce(
    (at, one) => (one.onset_earliest_ns < at ? one.onset_earliest_ns : at),
    first.onset_earliest_ns,
  );
  const latest = incidents.reduce((at, { end_ns }) => (end_ns > at ? end_ns : at), first.end_ns);
  return dashboardLink(grafana, { from_ns: earliest - AROUND_NS, until_ns: latest + AROUND_NS });
}

async function keptIncidents(
  store: FleetStore,
  name: string,
  { first_ns, last_ns }: Covered,
  signal: AbortSignal,
): Promise<string[]> {
  const values = { case: name, from: clickhouseTime(first_ns), until: clickhouseTime(last_ns) };
  const row = z.object({ Incident: z.string() });
  const rows = await rowsOf(row, { store, signal }, fleetQueries.keptIncidents, values);
  return rows.map(({ Incident }) => Incident);
}

/** @throws ProblemError fleet.no_tables where the tables of `archive init` are missing */
export async function requireTables(store: FleetStore, signal: AbortSignal): Promise<void> {
  if (!(await store.hasPushedTables(signal)))
    fail('fleet.no_tables', 'the archive has no tables of incidents and findings', {
      hint: 'make them: faultline archive init clickhouse --apply ARCHIVE.yaml',
    });
}
