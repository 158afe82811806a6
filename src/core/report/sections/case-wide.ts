import type { CaseInfo } from '../../../model/contract/index.ts';
import { type Annotation, annotationRef, annotationText } from '../../../model/incident/annotation.ts';
import { shortList } from '../../../model/incident/chain-folds.ts';
import { clockEstimateText } from '../../../model/incident/clock-estimate.ts';
import { impactedText } from '../../../model/incident/incident.ts';
import type { EvidenceItem, ReportBlock } from '../../../model/incident/report-document.ts';
import type { NamedIncident, SharedCause } from '../../../model/incident/shared-causes.ts';
import { countRows } from '../../../model/rows/row-nouns.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { fact, list, remark, sentences, table } from '../facts.ts';
import type { IncidentFacts, ReportInput } from '../report-input.ts';
import { countText, durationText, hypothesisText, momentText, probabilityText, undecidedText } from '../report-text.ts';
import { findingRefs, thresholdsText } from './patterns.ts';
import { incidentRef, lasted } from './summary.ts';

/** A reader of an excerpt must know that it is one. */
export const excerptBlocks = ({ excerpt }: CaseInfo): ReportBlock[] =>
  excerpt === null ? [] : [remark(`This case is not the whole recording: ${excerpt}.`)];

/** An incident of the report, for what it shares with others. */
export interface ReportedIncident extends NamedIncident {
  readonly facts: IncidentFacts;
}

/** With several incidents: which one to read first, and which of them are one. */
export function overviewBlocks(groups: readonly SharedCause<ReportedIncident>[]): ReportBlock[] {
  const rows = groups.map(({ members }) => {
    const { view, verdict } = members[0]!.facts;
    const best = verdict.leading;
    return {
      cells: [
        view.incident.id,
        shortList(members.map(({ facts }) => impactedText(facts.view.incident))),
        momentText(view.onset_ns),
        lasted(members[0]!.facts),
        verdict.undecided.length > 0 ? undecidedText(verdict.undecided) : best ? hypothesisText(best) : 'none',
        verdict.confirmed ? 'confirmed by the investigator' : best ? probabilityText(best.probability) : '',
      ],
      refs: members.map(({ facts }) => facts.view.onset_ref).slice(0, MOST_REFS),
    };
  });
  const shared = groups.flatMap(({ cause, members }) => {
    if (!cause) return [];
    const services = shortList(members.map(({ facts: { view } }) => impactedText(view.incident)));
    const undecided = members.find(({ leading }) => leading === cause)?.facts.verdict.undecided ?? [];
    const name = undecided.length > 0 ? `The cause is ${undecidedText(undecided)}. It` : hypothesisText(cause);
    const text = `${name} is named for ${members.length} impacts, which are one incident: ${services}.`;
    return [fact(text, members.map(({ facts: { view } }) => incidentRef(view)).slice(0, MOST_REFS))];
  });
  return [
    ...(shared.length > 0 ? [list(shared)] : []),
    table(['Incident', 'Services', 'Onset', 'Duration', 'Cause', 'Probability'], rows),
  ];
}

const MOST_REFS = 5;
/** As `warningText` begins. */
const OVERLAPS = 'overlaps ';

export function noIncidentBlocks({ info, findings }: ReportInput): ReportBlock[] {
  const span =
    info.first_ns === null || info.last_ns === null
      ? 'unknown times'
      : `${formatUtc(nanos(info.first_ns))} and ${formatUtc(nanos(info.last_ns))}`;
  const text = `No service was measurably worse than its own baseline between ${span}. Either nothing failed, or the failure was not recorded.`;
  if (findings.length === 0) return [sentences(fact(text, ['case:layers']))];
  const found = `${findings.length} known failure pattern${findings.length === 1 ? ' was' : 's were'} found. The worst: ${findings[0]?.headline}`;
  return [sentences(fact(text, ['case:layers']), fact(found, findingRefs(findings[0]!)))];
}

/** Edits of links and clocks come first: the conclusions rest on them. */
const order: readonly Annotation['kind'][] = [
  'edge',
  'clock',
  'judgement',
  'stamp',
  'note',
  'arrow',
  'group',
  'region',
  'query',
  'search',
];

/** The investigator's annotations, in order of creation within each kind; prose appears in its own section. */
export function investigatorBlocks(annotations: readonly Annotation[]): ReportBlock[] {
  const sorted = order.flatMap((kind) => annotations.filter((annotation) => annotation.kind === kind));
  if (sorted.length === 0) return [];
  const lines = sorted.map((annotation) => {
    const text = annotation.text === '' ? '' : `: ${annotation.text}`;
    return fact(`${kindLabels[annotation.kind]} ${annotationText(annotation)}${when(annotation)}${text}`, [
      annotationRef(annotation.id),
    ]);
  });
  return [remark('Stated by the investigator, independent of the recording.'), list(lines)];
}

const kindLabels: Readonly<Record<Annotation['kind'], string>> = {
  edge: 'Link:',
  clock: 'Clock:',
  judgement: 'Verdict:',
  stamp: 'Stamp:',
  note: 'Note about',
  arrow: 'Arrow from',
  group: 'Group of',
  region: 'Region:',
  query: 'Query',
  search: 'Metric',
  prose: 'Prose of',
  heading: 'Incident',
  action: 'Action item',
};

function when({ at_ns, until_ns }: Annotation): string {
  const time = (ns: bigint): string => formatUtc(nanos(ns));
  if (at_ns === null) return until_ns === null ? '' : ` (until ${time(until_ns)})`;
  return until_ns === null ? ` (from ${time(at_ns)})` : ` (${time(at_ns)} to ${time(until_ns)})`;
}

export function sourceBlocks({ info, clocks }: ReportInput): ReportBlock[] {
  const rows = info.sources.map((source) => ({
    cells: [
      source.name,
      source.format,
      clock(source.clock_offset_ns, source.clock_uncertainty_ns),
      source.first_ns === null ? 'no times' : formatUtc(nanos(source.first_ns)),
      source.last_ns === null ? 'no times' : formatUtc(nanos(source.last_ns)),
      countRows(source.rows) || 'none',
      String(source.rejects),
    ],
    refs: [`source:${source.source_id}`],
  }));
  const withEvents = new Set(info.sources.flatMap(({ source_id, rows: counts }) => (counts.event ? [source_id] : [])));
  const estimates = clocks
    .filter(({ file_id }) => withEvents.has(file_id))
    .map((one) => fact(`${one.name}: ${clockEstimateText(one)}`, [`source:${one.file_id}`]));
  const head = ['File', 'Format', 'Clock correction', 'First', 'Last', 'Rows', 'Rejects'];
  return [
    table(head, rows),
    ...(estimates.length > 0 ? [remark('Clock offsets, estimated from linked events:'), list(estimates)] : []),
  ];
}

function clock(offset_ns: bigint, uncertainty_ns: bigint): string {
  const seconds = (value: bigint): string => `${Number(value) / 1e9} s`;
  if (offset_ns === 0n && uncertainty_ns === 0n) return 'none';
  return `${offset_ns < 0n ? '' : '+'}${seconds(offset_ns)}${uncertainty_ns === 0n ? '' : ` +-${seconds(uncertainty_ns)}`}`;
}

/** More than a reader needs; the window lists them all. */
const MOST_GAPS = 50;

/** Times in which live feeds received nothing, with the reason; [] without any. */
export function gapBlocks({ info, silences }: ReportInput): ReportBlock[] {
  const explainedSilences = silences.filter(({ reason }) => reason !== null);
  if (explainedSilences.length === 0) return [];
  const names = new Map(info.sources.map(({ source_id, name }) => [source_id, name]));
  const lines = explainedSilences.slice(0, MOST_GAPS).map(({ source_id, start_ns, end_ns, reason, is_open }) => {
    const length = durationText(Number(end_ns - start_ns) / 1e9);
    const until = is_open ? 'on, not ended' : `to ${formatUtc(nanos(end_ns))} (${length})`;
    return fact(
      `${names.get(source_id) ?? 'a source'}: no data from ${formatUtc(nanos(start_ns))} ${until}: ${reason ?? ''}`,
      [`source:${source_id}`],
    );
  });
  return [
    remark('Live feeds that were down. What happened in these times is unknown.'),
    list(lines),
    ...(explainedSilences.length > MOST_GAPS ? [remark(`and ${explainedSilences.length - MOST_GAPS} more`)] : []),
  ];
}

/** Impacts of one cause overlap because of it: that is no question. @param groups impacts by their cause */
export function openQuestionBlocks(
  { info, incidents, warnings }: ReportInput,
  groups: readonly SharedCause<ReportedIncident>[],
): ReportBlock[] {
  const isShared = new Set(
    groups.flatMap(({ members }) => (members.length > 1 ? members.map(({ facts }) => facts.view.incident.id) : [])),
  );
  const openQuestions = [
    ...(info.rejects > 0
      ? [
          fact(
            `${info.rejects} ${info.rejects === 1 ? 'row' : 'rows'} could not be read: could one of them change the verdict?`,
            info.sources.filter(({ rejects }) => rejects > 0).map(({ source_id }) => `source:${source_id}`),
          ),
        ]
      : []),
    ...incidents.flatMap(({ view: { incident }, verdict: { confirmed, leading } }) => [
      ...(confirmed === null && (leading?.probability ?? 0) < 0.7
        ? [
            fact(
              `The root cause of ${incident.id} is not settled: which record would decide between its first hypotheses?`,
              [`incident:${incident.id}`],
            ),
          ]
        : []),
      ...incident.warnings
        .filter((warning) => !(isShared.has(incident.id) && warning.startsWith(OVERLAPS)))
        .map((warning) => fact(`${warning}.`, [`incident:${incident.id}`])),
    ]),
    ...warnings.map((warning) => fact(`${warning}.`, ['case:layers'])),
  ];
  // Impacts of one cause raise the same questions.
  const once = [...Map.groupBy(openQuestions, ({ text }) => text)].map(([text, same]) =>
    fact(text, same.flatMap(({ refs }) => refs).slice(0, MOST_REFS)),
  );
  return once.length > 0 ? [list(once)] : [remark('The recording raises none.')];
}

export function unreadBlocks(unread: readonly EvidenceItem[]): ReportBlock[] {
  const refs = unread.map(({ ref }) => ref);
  const details = unread.map(({ ref, title }) => ({ text: title, refs: [ref] }));
  return [list([fact(`${countText(unread.length, 'cited record')} could not be read:`, refs, { details })])];
}

export function methodBlocks({ version, mechanisms, thresholds }: ReportInput): ReportBlock[] {
  const lines = [
    `Written by Faultline ${version} from the case alone: the same case gives the same report.`,
    'An impact is a time in which a service was worse than its own baseline. Causes are earlier events that a known mechanism links to it along the topology.',
    `Mechanisms: ${mechanisms === 'own' ? "the user's own mechanisms.yaml" : 'the ones bundled with Faultline'}.`,
    ...(thresholds.length > 0 ? [`Patterns: ${thresholdsText(thresholds)}`] : []),
    'The probabilities of all hypotheses, "no physical cause" included, add up to 1. Their weights were fitted on labelled incidents.',
    'Clock corrections are applied when records are read; the records stay unchanged.',
  ];
  return [list(lines.map((one) => fact(one, ['case:method'])))];
}
