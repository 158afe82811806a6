import { type Annotation, annotationRef } from '../../model/annotation.ts';
import { type ClockEstimateView, clockEstimateWords } from '../../model/clock-estimate.ts';
import type { CaseInfo, EvidenceRecord, IncidentView } from '../../model/contract/index.ts';
import { countRows } from '../../model/row-words.ts';
import { formatUtc, nanos } from '../../model/time.ts';
import { investigatorSection } from './annotations.ts';
import {
  durationWords,
  escapeMarkdown,
  figure,
  hypothesisWords,
  probabilityWords,
  typeWords,
  weightWords,
} from './words.ts';

export interface ReportInput {
  readonly info: CaseInfo;
  readonly incidents: readonly IncidentView[];
  readonly warnings: readonly string[];
  readonly clocks: readonly ClockEstimateView[];
  readonly annotations: readonly Annotation[];
  /** Every record that an evidence id of the report names, by id. */
  readonly records: ReadonlyMap<string, EvidenceRecord>;
}

/** Evidence ids a report of these incidents cites; the caller fetches their records. */
export function citedRefs(incidents: readonly IncidentView[], annotations: readonly Annotation[]): string[] {
  const refs = incidents.flatMap(({ incident, steps, onset_ref, peak_ref }) => [
    onset_ref,
    peak_ref,
    ...steps.map(({ ref }) => ref),
    ...incident.hypotheses.flatMap(({ evidence }) => evidence.flatMap(({ refs: cited }) => cited)),
  ]);
  return [...new Set([...refs, ...annotations.map(({ id }) => annotationRef(id))])];
}

/** The post-mortem as markdown. A pure function: the same case gives the same bytes. */
export function renderMarkdown(input: ReportInput): string {
  const draft = startDraft(input);
  const { info, incidents, warnings, annotations } = draft;
  const added = investigatorSection(annotations, draft.cite);
  const blocks = [
    `# Post-mortem: ${escapeMarkdown(info.name)}`,
    ...(incidents.length > 1 ? [overview(incidents, draft)] : []),
    incidents.length === 0 ? noIncident(info) : incidents.map((view) => incidentSection(view, draft)).join('\n\n'),
    ...(added === null ? [] : [added]),
    dataSources(draft),
    openQuestions(info, incidents, warnings),
    appendix(draft),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** A report in the making: its input, and how it cites. */
interface Draft extends ReportInput {
  /** `[E3](#event:12)`: short to read, and the target is the evidence id itself, which the app opens. */
  cite(...refs: readonly string[]): string;
}

/** Readable where it can be; a parenthesis would end the link. */
const anchor = (ref: string): string =>
  encodeURIComponent(ref).replaceAll('%3A', ':').replaceAll('%40', '@').replaceAll('(', '%28').replaceAll(')', '%29');

function startDraft(input: ReportInput): Draft {
  const numbers = new Map([...input.records.keys()].map((ref, i) => [ref, `E${i + 1}`]));
  for (const { source_id } of input.info.sources) numbers.set(`source:${source_id}`, `S${source_id}`);
  return { ...input, cite: (...refs) => refs.map((ref) => `[${numbers.get(ref) ?? ref}](#${anchor(ref)})`).join(' ') };
}

function noIncident(info: CaseInfo): string {
  return `No service did measurably worse than its own baseline between ${span(info)}. Either nothing broke, or what broke was not recorded; see the open questions.`;
}

function span(info: CaseInfo): string {
  if (info.first_ns === null || info.last_ns === null) return 'unknown times';
  return `${formatUtc(nanos(info.first_ns))} and ${formatUtc(nanos(info.last_ns))}`;
}

function incidentSection(view: IncidentView, draft: Draft): string {
  const { incident } = view;
  return [
    `## Incident ${incident.id}: ${escapeMarkdown(view.service)}`,
    `### Summary\n\n${summary(view, draft)}`,
    `### Impact\n\n${impactTable(view, draft)}`,
    `### Timeline\n\n${timeline(view, draft)}`,
    `### Causal chain\n\n${chain(view, draft)}`,
    `### Hypotheses considered\n\n${hypotheses(view, draft)}`,
    ...(incident.warnings.length > 0 ? [`### Warnings\n\n${bullets(incident.warnings.map(escapeMarkdown))}`] : []),
  ].join('\n\n');
}

const impactRefs = (view: IncidentView, draft: Draft): string =>
  draft.cite(...new Set([view.onset_ref, view.peak_ref]));

function summary(view: IncidentView, draft: Draft): string {
  const { incident } = view;
  const best = incident.hypotheses[0];
  const when = `from ${formatUtc(nanos(view.onset_ns))} to ${incident.window_end} (${lasted(view)})`;
  const first = `${escapeMarkdown(view.service)} degraded ${when}: ${whatGotWorse(view)}. ${impactRefs(view, draft)}`;
  if (!best) return first;
  const root = view.steps[0];
  const second =
    best.subject && best.subject.kind !== 'service'
      ? `Most probable root cause: ${escapeMarkdown(hypothesisWords(best))}, probability ${probabilityWords(best.probability)}.`
      : `No physical root cause is claimed: "${escapeMarkdown(hypothesisWords(best))}" is the most probable reading, ${probabilityWords(best.probability)}.`;
  return `${first}\n\n${second}${root ? ` ${draft.cite(root.ref)}` : ''}`;
}

/** A single bad measurement lasted at most since the good one before it. */
function lasted({ onset_ns, onset_earliest_ns, end_ns }: IncidentView): string {
  if (end_ns > onset_ns) return durationWords(Number(end_ns - onset_ns) / 1e9);
  const most = Number(end_ns - onset_earliest_ns) / 1e9;
  return most > 0 ? `up to ${durationWords(most)}` : 'one measurement';
}

/** Only the figures that did get worse. */
function whatGotWorse({ incident: { impact } }: IncidentView): string {
  const clauses: string[] = [];
  const { p99_baseline_ms, p99_peak_ms, error_rate_baseline_percent, error_rate_peak_percent } = impact;
  const { throughput_baseline_rps, throughput_peak_rps } = impact;
  if (p99_peak_ms !== null && p99_peak_ms > (p99_baseline_ms ?? 0)) {
    clauses.push(`P99 rose from ${figure(p99_baseline_ms, 'ms')} to ${figure(p99_peak_ms, 'ms')}`);
  }
  if (error_rate_peak_percent !== null && error_rate_peak_percent > (error_rate_baseline_percent ?? 0)) {
    clauses.push(`errors from ${figure(error_rate_baseline_percent, '%')} to ${figure(error_rate_peak_percent, '%')}`);
  }
  if (
    throughput_peak_rps !== null &&
    throughput_baseline_rps !== null &&
    throughput_peak_rps < throughput_baseline_rps
  ) {
    clauses.push(`throughput fell from ${throughput_baseline_rps} to ${throughput_peak_rps} req/s`);
  }
  return clauses.length === 0 ? 'its figures left their baseline' : clauses.join(', ');
}

/** Where there are many: which one to read first. */
function overview(incidents: readonly IncidentView[], draft: Draft): string {
  const rows = incidents.map((view) => {
    const best = view.incident.hypotheses[0];
    return [
      view.incident.id,
      escapeMarkdown(view.service),
      formatUtc(nanos(view.onset_ns)),
      lasted(view),
      best ? escapeMarkdown(hypothesisWords(best)) : 'none',
      best ? probabilityWords(best.probability) : '',
      draft.cite(view.onset_ref),
    ];
  });
  const header = ['Incident', 'Service', 'Onset (UTC)', 'Lasted', 'Most probable', 'Probability', 'Evidence'];
  return `## Incidents\n\n${table(header, rows)}`;
}

function impactTable(view: IncidentView, draft: Draft): string {
  const { impact } = view.incident;
  const evidence = impactRefs(view, draft);
  const rows = [
    [
      'P99 latency',
      figure(impact.p99_baseline_ms, 'ms'),
      figure(impact.p99_first_anomaly_ms, 'ms'),
      figure(impact.p99_peak_ms, 'ms'),
      evidence,
    ],
    [
      'Error rate',
      figure(impact.error_rate_baseline_percent, '%'),
      figure(impact.error_rate_first_anomaly_percent, '%'),
      figure(impact.error_rate_peak_percent, '%'),
      evidence,
    ],
    [
      'Throughput',
      figure(impact.throughput_baseline_rps, 'req/s'),
      figure(impact.throughput_first_anomaly_rps, 'req/s'),
      figure(impact.throughput_peak_rps, 'req/s'),
      evidence,
    ],
  ];
  const cost =
    impact.estimated_cost_impact_usd === null
      ? 'Cost: unknown (no GPU rate was given).'
      : `Cost: ${impact.estimated_cost_impact_usd} USD at the given GPU rate.`;
  return `${table(['Figure', 'Baseline', 'First anomaly', 'Worst', 'Evidence'], rows)}\n\n${cost}`;
}

function timeline(view: IncidentView, draft: Draft): string {
  const rows = view.steps.map((step) => [
    formatUtc(nanos(step.time_ns)),
    step.layer,
    escapeMarkdown(step.device),
    typeWords(step.type),
    escapeMarkdown(step.summary),
    escapeMarkdown(draft.records.get(step.ref)?.source ?? ''),
    draft.cite(step.ref),
  ]);
  return table(['Time (UTC)', 'Layer', 'What', 'Event', 'Said', 'Recorded in', 'Evidence'], rows);
}

function chain(view: IncidentView, draft: Draft): string {
  const { incident, steps } = view;
  if (steps.length <= 1)
    return `No physical cause found: no recorded event leads to ${escapeMarkdown(view.service)}. ${impactRefs(view, draft)}`;
  const lines = incident.causal_chain.map((step, i) => {
    const drawn = steps[i];
    const confidence = step.confidence === null ? '' : `, confidence ${step.confidence}`;
    const cause = drawn?.cause ?? null;
    const lag =
      cause === null || !drawn
        ? `${durationWords(step.lag_seconds)} before the impact`
        : `${durationWords(Number(drawn.time_ns - (steps[cause]?.time_ns ?? drawn.time_ns)) / 1e9)} after its cause, step ${cause + 1}`;
    const notes = [
      step.indirect_causality ? 'indirect' : '',
      drawn?.undecided ? 'order undecided within clock uncertainty' : '',
    ].filter(Boolean);
    const where = i === incident.causal_chain.length - 1 ? 'the impact itself' : lag;
    return `${i + 1}. **${typeWords(step.type)}** on ${escapeMarkdown(step.device_id)}: ${where}${confidence}${notes.length > 0 ? ` (${notes.join('; ')})` : ''} ${drawn ? draft.cite(drawn.ref) : ''}`;
  });
  const favoured = incident.hypotheses[0]?.event_id === incident.causal_chain[0]?.event_id;
  const doubts = [
    ...(incident.low_confidence ? ['This is low.'] : []),
    ...(favoured ? [] : ['The evidence favours another reading (see the hypotheses).']),
  ];
  const flag = doubts.length > 0 ? ` ${doubts.join(' ')} Read the chain as a lead, not as a finding.` : '';
  return `${lines.join('\n')}\n\nOverall confidence ${incident.overall_confidence} (mean of the edge scores).${flag}`;
}

function hypotheses(view: IncidentView, draft: Draft): string {
  const [best, ...others] = view.incident.hypotheses;
  if (!best) return 'None.';
  const one = (hypothesis: typeof best): string => {
    const lines = hypothesis.evidence.map(
      (line) =>
        `   - ${weightWords(line)} ${escapeMarkdown(line.text)}${line.refs.length > 0 ? ` ${draft.cite(...line.refs.slice(0, 5))}` : ''}`,
    );
    return `${hypothesis.rank}. **${escapeMarkdown(hypothesisWords(hypothesis))}**, probability ${probabilityWords(hypothesis.probability)}\n${lines.join('\n')}`;
  };
  const ruledOut = others.filter(({ probability }) => probability < 0.3);
  const open = others.filter(({ probability }) => probability >= 0.3);
  return [
    'Weights are log-odds: what each observation adds to or takes from the hypothesis.',
    [best, ...open].map(one).join('\n'),
    ...(ruledOut.length > 0 ? [`#### Ruled out or unlikely\n\n${ruledOut.map(one).join('\n')}`] : []),
  ].join('\n\n');
}

function dataSources({ info, clocks, cite }: Draft): string {
  const rows = info.sources.map((source) => [
    escapeMarkdown(source.name),
    source.format,
    clock(source.clock_offset_ns, source.clock_uncertainty_ns),
    source.first_ns === null ? 'no times' : formatUtc(nanos(source.first_ns)),
    source.last_ns === null ? 'no times' : formatUtc(nanos(source.last_ns)),
    countRows(source.rows) || 'none',
    String(source.rejects),
    cite(`source:${source.source_id}`),
  ]);
  const header = ['File', 'Format', 'Clock correction', 'First', 'Last', 'Rows', 'Rejects', 'Evidence'];
  const tellable = new Set(info.sources.flatMap(({ source_id, rows: counts }) => (counts.event ? [source_id] : [])));
  const estimates = clocks
    .filter(({ source_id }) => tellable.has(source_id))
    .map(
      (one) =>
        `${escapeMarkdown(one.name)}: ${escapeMarkdown(clockEstimateWords(one))} ${cite(`source:${one.source_id}`)}`,
    );
  const estimated = estimates.length === 0 ? '' : `\n\nClocks, as far as the events tell:\n\n${bullets(estimates)}`;
  return `## Data sources\n\n${table(header, rows)}${estimated}`;
}

function clock(offset_ns: bigint, uncertainty_ns: bigint): string {
  const seconds = (value: bigint): string => `${Number(value) / 1e9} s`;
  if (offset_ns === 0n && uncertainty_ns === 0n) return 'none';
  return `${offset_ns < 0n ? '' : '+'}${seconds(offset_ns)}${uncertainty_ns === 0n ? '' : ` +-${seconds(uncertainty_ns)}`}`;
}

function openQuestions(info: CaseInfo, incidents: readonly IncidentView[], warnings: readonly string[]): string {
  const questions = [
    ...info.layers_missing.map(
      (layer) => `The ${layer} layer was not recorded: nothing can be said for or against it.`,
    ),
    ...(info.rejects > 0 ? [`${info.rejects} rows could not be read: could one of them change the story?`] : []),
    ...incidents
      .filter(({ incident }) => (incident.hypotheses[0]?.probability ?? 0) < 0.7)
      .map(
        ({ incident }) =>
          `The root cause of ${incident.id} is not settled: what would tell its first hypotheses apart?`,
      ),
    ...incidents
      .filter(({ incident }) => incident.unmapped_devices.length > 0)
      .map(({ incident }) => `Which services depend on ${incident.unmapped_devices.map(escapeMarkdown).join(', ')}?`),
    ...warnings.map(escapeMarkdown),
  ];
  return `## Open questions\n\n${questions.length === 0 ? 'None that the data raise.' : bullets(questions)}`;
}

function appendix({ info, records, cite }: Draft): string {
  const item = (ref: string, text: string): string =>
    `- <a id="${anchor(ref)}"></a>**${cite(ref)}** \`${ref.replaceAll('`', "'")}\`: ${text}`;
  const lines = [...records.values()].map((record) => {
    const when = record.time_ns === null ? '' : `${formatUtc(nanos(record.time_ns))}, `;
    // A record without raw text was worked out: then its fields are all there is to check.
    const fields = record.fields
      .map(({ name, value }) => `\n  - ${escapeMarkdown(name)}: ${escapeMarkdown(value)}`)
      .join('');
    const raw = record.raw === '' ? fields : `\n\n  \`\`\`json\n${indent(record.raw)}\n  \`\`\``;
    return item(
      record.ref,
      `${when}${escapeMarkdown(record.title)}; from ${escapeMarkdown(record.source ?? 'this case')}${raw}`,
    );
  });
  const sources = info.sources.map(({ source_id, name, bytes, digest }) =>
    item(`source:${source_id}`, `${escapeMarkdown(name)}, ${bytes} bytes, \`${digest}\``),
  );
  return `## Appendix: evidence\n\n${[...lines, ...sources].join('\n')}`;
}

/** Indented into the list item; a fence inside the record must not end ours. */
const indent = (text: string): string =>
  text
    .replaceAll('```', "'''")
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
