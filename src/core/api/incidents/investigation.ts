import type { IncidentView, Output, Parsed } from '../../../model/contract/index.ts';
import type { CorrelateOptions, Report } from '../../../model/incident/incident.ts';
import { isNothing, type RankingChange } from '../../../model/incident/what-if.ts';
import type { Conclusion } from '../../analysis/conclude.ts';
import { type Investigation, toReport } from '../../analysis/correlate.ts';
import { parseRates, type Rates } from '../../analysis/costs/rates.ts';
import { compareRankings } from '../../analysis/ranking/compare-rankings.ts';
import { whatIfText } from '../../analysis/what-if/what-if.ts';
import { renderChanges } from '../../report/changes.ts';
import { renderMarkdown } from '../../report/markdown.ts';
import { incidentTelemetry, type Throttle, type ThrottleState, type Throttling } from '../../report/telemetry.ts';
import { renderTimeline } from '../../report/timeline-text.ts';
import { readAnnotations } from '../../store/case-file/annotations.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { queries } from '../../store/queries/index.ts';
import type { OpenCase } from '../cases/open-case.ts';
import { type GpuNames, namedIncident, namedView, readGpuNames } from '../gpus/gpu-names.ts';
import { readCosts, writeReport } from '../reports/report-facts.ts';
import { toView, unknownIncident } from './incident-view.ts';
import { readAround } from './unused-events.ts';

export async function correlate(
  opened: OpenCase,
  options: CorrelateOptions,
  now: bigint,
  signal?: AbortSignal,
): Promise<Report> {
  const report = toReport(await opened.investigation(options, signal), now);
  return namedIncidents(report, await opened.withSession(readGpuNames));
}

const namedIncidents = (report: Report, names: GpuNames): Report => ({
  ...report,
  incidents: report.incidents.map((incident) => namedIncident(incident, names)),
});

interface RenderContext {
  readonly now: bigint;
  readonly version: string;
  readonly rates: Rates | null;
}

export async function renderCorrelation(
  opened: OpenCase,
  { options, format, what_if, rates: requestedRates }: Parsed<'correlate.render'>,
  { now, version }: Pick<RenderContext, 'now' | 'version'>,
  signal?: AbortSignal,
): Promise<string> {
  const rates = requestedRates === null ? null : parseRates(requestedRates);
  const before = await opened.investigation(options, signal);
  if (!what_if || isNothing(what_if)) return renderInvestigation(opened, before, { format, now, version, rates });
  const found = await opened.reason(options, { whatIf: what_if }, signal);
  const supposed = whatIfText(what_if);
  const text = await renderInvestigation(opened, found, { format, now, version, rates });
  return `${renderChanges(supposed, changesOf(before, found, supposed), format)}${text}`;
}

async function renderInvestigation(
  opened: OpenCase,
  found: Investigation,
  { format, now, version, rates }: RenderContext & { readonly format: 'timeline' | 'markdown' },
): Promise<string> {
  if (format === 'timeline') {
    const costs = rates ? await readCosts(opened, found.conclusions, rates) : [];
    return renderTimeline(namedIncidents(toReport(found, now), await opened.withSession(readGpuNames)), costs);
  }
  return renderMarkdown(await writeReport(opened, found, { rates, version, layout: 'whole' }));
}

/** @throws ProblemError incident.unknown, and those of an invalid what-if */
export async function whatIf(
  opened: OpenCase,
  { what_if, options, incident }: Parsed<'incidents.whatIf'>,
  now: bigint,
  signal?: AbortSignal,
): Promise<Output<'incidents.whatIf'>> {
  const before = await opened.investigation(options, signal);
  if (incident !== null && !before.conclusions.some((one) => one.incident.id === incident)) unknownIncident(incident);
  const only = incident === null ? undefined : new Set([incident]);
  const after = await opened.reason(options, { whatIf: what_if, only }, signal);
  const supposed = whatIfText(what_if);
  const names = await opened.withSession(readGpuNames);
  return {
    supposed,
    report: namedIncidents(toReport(after, now), names),
    incidents: pairsOf(before, after).map(([old, changed]) => ({
      before: namedView(toView(old), names),
      after: namedView(toView(changed), names),
      change: compareRankings(old.incident, changed.incident, supposed),
    })),
  };
}

/** Measurements, and thus incidents, are the same under every what-if. */
function pairsOf(before: Investigation, after: Investigation): [Conclusion, Conclusion][] {
  const old = new Map(before.conclusions.map((one) => [one.incident.id, one]));
  return after.conclusions.map((changed) => [
    old.get(changed.incident.id) ?? unknownIncident(changed.incident.id),
    changed,
  ]);
}

const changesOf = (before: Investigation, after: Investigation, supposed: string): RankingChange[] =>
  pairsOf(before, after).map(([old, changed]) => compareRankings(old.incident, changed.incident, supposed));

export async function listIncidents(opened: OpenCase): Promise<IncidentView[]> {
  const { conclusions } = await opened.conclusions();
  const around = await readAround(opened, conclusions);
  const names = await opened.withSession(readGpuNames);
  return conclusions.map((conclusion) => namedView(toView(conclusion, around), names));
}

export async function renderTelemetry(opened: OpenCase, version: string): Promise<Output<'incidents.telemetry'>> {
  const incidents = await listIncidents(opened);
  const throttling = await readThrottling(opened);
  const annotations = await opened.withSession(readAnnotations);
  const about = { case: opened.stored.name, version, annotations };
  const { traces, logs, metrics } = incidentTelemetry(incidents, throttling, about);
  const [isFound, isMeasured] = [
    incidents.length > 0,
    incidents.length + throttling.times.length + throttling.states.length > 0,
  ];
  return {
    traces: isFound ? JSON.stringify(traces) : '',
    logs: isFound ? JSON.stringify(logs) : '',
    metrics: isMeasured ? JSON.stringify(metrics) : '',
  };
}

/** Throttle times of each GPU, by reason, and what holds it down now. */
export const readThrottling = (opened: OpenCase): Promise<Throttling> =>
  opened.withSession(async (session) => ({
    times: rowsOf<Throttle>(await session.query(queries.gpuThrottles)),
    states: rowsOf<ThrottleState>(await session.query(queries.gpuThrottledNow)),
  }));
