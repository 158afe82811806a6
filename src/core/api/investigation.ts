import type { IncidentView, Output, Parsed } from '../../model/contract/index.ts';
import type { CorrelateOptions, Report } from '../../model/incident.ts';
import { fail } from '../../model/problem.ts';
import { isNothing, type RankingChange } from '../../model/what-if.ts';
import { compareRankings } from '../analysis/compare-rankings.ts';
import { type Conclusion, type Investigation, toReport } from '../analysis/correlate.ts';
import { whatIfWords } from '../analysis/what-if.ts';
import { renderChanges } from '../report/changes.ts';
import { renderHtml } from '../report/html.ts';
import { citedRefs, renderMarkdown } from '../report/markdown.ts';
import { renderTimeline } from '../report/timeline-text.ts';
import { readAnnotations } from '../store/annotations.ts';
import { measurementRef, readEvidence } from './evidence.ts';
import { eventLane, metricLane } from './lane-catalog.ts';
import type { OpenCase } from './open-case.ts';

export async function correlate(
  opened: OpenCase,
  options: CorrelateOptions,
  now: bigint,
  signal?: AbortSignal,
): Promise<Report> {
  return toReport(await opened.investigation(options, signal), now);
}

export async function renderCorrelation(
  opened: OpenCase,
  { options, format, what_if }: Parsed<'correlate.render'>,
  now: bigint,
  signal?: AbortSignal,
): Promise<string> {
  const before = await opened.investigation(options, signal);
  if (!what_if || isNothing(what_if)) return renderInvestigation(opened, before, { format, now });
  const found = await opened.reason(options, { whatIf: what_if }, signal);
  const supposed = whatIfWords(what_if);
  const text = await renderInvestigation(opened, found, { format, now });
  return `${renderChanges(supposed, changesOf(before, found, supposed), format)}${text}`;
}

async function renderInvestigation(
  opened: OpenCase,
  found: Investigation,
  { format, now }: { readonly format: 'timeline' | 'markdown'; readonly now: bigint },
): Promise<string> {
  if (format === 'timeline') return renderTimeline(toReport(found, now));
  return toMarkdown(opened, found.conclusions.map(toView), found);
}

/** @throws ProblemError incident.unknown, and those of a supposition that names what is not there */
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
  const supposed = whatIfWords(what_if);
  return {
    supposed,
    report: toReport(after, now),
    incidents: pairsOf(before, after).map(([old, changed]) => ({
      before: toView(old),
      after: toView(changed),
      change: compareRankings(old.incident, changed.incident, supposed),
    })),
  };
}

/** What was measured is the same under every supposition, and so are the incidents. */
function pairsOf(before: Investigation, after: Investigation): [Conclusion, Conclusion][] {
  const old = new Map(before.conclusions.map((one) => [one.incident.id, one]));
  return after.conclusions.map((changed) => [
    old.get(changed.incident.id) ?? unknownIncident(changed.incident.id),
    changed,
  ]);
}

const changesOf = (before: Investigation, after: Investigation, supposed: string): RankingChange[] =>
  pairsOf(before, after).map(([old, changed]) => compareRankings(old.incident, changed.incident, supposed));

function unknownIncident(id: string): never {
  return fail('incident.unknown', `there is no incident ${id} in this case`);
}

async function toMarkdown(
  opened: OpenCase,
  incidents: readonly IncidentView[],
  { warnings, clocks }: Pick<Investigation, 'warnings' | 'clocks'>,
): Promise<string> {
  const annotations = await opened.withSession(readAnnotations);
  const records = new Map(
    await Promise.all(
      citedRefs(incidents, annotations).map(async (ref) => [ref, await readEvidence(opened, ref)] as const),
    ),
  );
  return renderMarkdown({ info: await opened.info(), incidents, warnings, clocks, annotations, records });
}

export async function listIncidents(opened: OpenCase): Promise<IncidentView[]> {
  return (await opened.conclusions()).conclusions.map(toView);
}

function toView(conclusion: Conclusion): IncidentView {
  const { incident, window, service, start_ns, chain } = conclusion;
  const { members } = chain;
  const causes = causesOf(incident.causal_chain);
  const steps = members.map(({ event }, i): IncidentView['steps'][number] => {
    const node = conclusion.graph.node(event.entity);
    const cause = members[causes[i] ?? -1]?.event;
    // Two clocks may each be off by their uncertainty; a gap smaller than both together proves no order.
    const doubt =
      cause && cause.source_id !== event.source_id ? cause.clock_uncertainty_ns + event.clock_uncertainty_ns : 0n;
    return {
      ref: `event:${event.event_id}`,
      lane: eventLane(node?.kind ?? 'device', node?.id ?? event.device_id),
      time_ns: event.time_ns,
      type: event.type,
      device: event.device_id,
      layer: node?.layer ?? 'server',
      summary: event.message,
      cause: causes[i] ?? null,
      edge_probability: incident.causal_chain[i]?.confidence ?? null,
      undecided: cause !== undefined && event.time_ns - cause.time_ns < doubt,
    };
  });
  const { impact } = incident;
  const degradation = {
    ref: measurementRef(service, window.onset_ns),
    lane: metricLane('service', service, 'service.latency.p99'),
    time_ns: window.onset_ns,
    type: 'trace_degradation',
    device: service,
    layer: 'service',
    summary: `P99 ${impact.p99_baseline_ms ?? 'unknown'} to ${impact.p99_first_anomaly_ms ?? 'unknown'} ms`,
    cause: causes[members.length] ?? null,
    edge_probability: incident.causal_chain.at(-1)?.confidence ?? null,
    undecided: false,
  };
  return {
    incident,
    start_ns,
    end_ns: window.end_ns,
    onset_ns: window.onset_ns,
    onset_earliest_ns: window.onset_earliest_ns,
    service,
    onset_ref: measurementRef(service, window.onset_ns),
    peak_ref: measurementRef(service, window.peak_ns),
    steps: [...steps, degradation],
  };
}

/** For each step the place of the one that it names as its cause. */
function causesOf(chain: Conclusion['incident']['causal_chain']): (number | null)[] {
  const places = new Map(chain.map(({ event_id }, at) => [event_id, at]));
  return chain.map(({ caused_by }, at) => {
    const cause = caused_by === null ? undefined : places.get(caused_by);
    return cause !== undefined && cause < at ? cause : null;
  });
}

/** @throws ProblemError incident.unknown */
export async function renderReport(
  opened: OpenCase,
  { format, incident }: Parsed<'report.render'>,
): Promise<Output<'report.render'>> {
  const all = await listIncidents(opened);
  const incidents = incident === null ? all : all.filter((view) => view.incident.id === incident);
  if (incident !== null && incidents.length === 0) unknownIncident(incident);
  const info = await opened.info();
  const name = `${info.name}-post-mortem`;
  if (format === 'json') {
    // No generated_at: a report of the same case is the same bytes.
    return {
      name: `${name}.json`,
      text: `${JSON.stringify({ case: info.name, incidents: incidents.map((view) => view.incident) }, null, 2)}\n`,
    };
  }
  const markdown = await toMarkdown(opened, incidents, await opened.conclusions());
  if (format === 'html') return { name: `${name}.html`, text: renderHtml(`Post-mortem: ${info.name}`, markdown) };
  return { name: `${name}.md`, text: markdown };
}
