import type { EvidenceRecord } from '../../model/contract/index.ts';
import type { AnnotationOf } from '../../model/incident/annotation.ts';
import { foldChain, stepNumbers } from '../../model/incident/chain-folds.ts';
import type { FindingView } from '../../model/incident/finding.ts';
import type { JudgedHypothesis } from '../../model/incident/judged-verdict.ts';
import type {
  EvidenceItem,
  ProseConflict,
  ReportBlock,
  ReportDocument,
  ReportFigure,
  ReportFinding,
  ReportSection,
  ReportVerdict,
} from '../../model/incident/report-document.ts';
import { bySharedCause } from '../../model/incident/shared-causes.ts';
import { formatUtc, nanos } from '../../model/time.ts';
import { figureOf, refsOf, statementsOf, table } from './facts.ts';
import { incidentFigures } from './figures/incident-figures.ts';
import { citedInProse } from './prose.ts';
import type { IncidentFacts, ReportInput } from './report-input.ts';
import { clockText, typeText } from './report-text.ts';
import { affectedTable, alsoDegraded } from './sections/affected.ts';
import { contributingBlocks, notRecordedBlocks, timesBlocks } from './sections/aftermath.ts';
import {
  excerptBlocks,
  gapBlocks,
  investigatorBlocks,
  methodBlocks,
  noIncidentBlocks,
  openQuestionBlocks,
  overviewBlocks,
  sourceBlocks,
  unreadBlocks,
} from './sections/case-wide.ts';
import { impactBlocks } from './sections/impact.ts';
import { actionBlocks, findingRefs, patternBlocks } from './sections/patterns.ts';
import { askedSections } from './sections/people.ts';
import { evidenceBlocks, rootCauseBlocks, ruledOutBlocks } from './sections/root-cause.ts';
import { summaryBlocks } from './sections/summary.ts';

/** More citations than a reader opens. */
const MOST_REFS = 5;

/** A report before its evidence is read. */
export type ReportDraft = Omit<ReportDocument, 'evidence'>;

/** The post-mortem as data, in the order in which it is read. A pure function: the same case gives the same bytes. */
export function draftReport(input: ReportInput): ReportDraft {
  const { info, incidents } = input;
  const prose = proseOf(input);
  const figures = incidents.map((facts) => incidentFigures(facts));
  const groups = bySharedCause(
    incidents.map((facts) => ({ facts, incident: facts.view.incident, leading: facts.verdict.leading })),
  );
  const sections = [
    section('excerpt', 'Scope of this recording', excerptBlocks(info)),
    ...(groups.length > 1 ? [section('incidents', 'Incidents', overviewBlocks(groups))] : []),
    ...(incidents.length === 0
      ? [
          section('summary', 'Summary', noIncidentBlocks(input)),
          section('patterns', 'Known failure patterns', patternBlocks(input.findings, input.thresholds)),
          section('not_recorded', 'What was not recorded', notRecordedBlocks(info, input.silences)),
        ]
      : [
          ...groups.flatMap(({ members }) => {
            const own = members.map(({ facts }) => facts);
            return own.flatMap((facts, at) => {
              const drawn = figures[incidents.indexOf(facts)] ?? [];
              const all = incidentSections(facts, { input, figures: drawn, members: at === 0 ? own : [facts], prose });
              return at === 0 ? all : written(all, facts, prose);
            });
          }),
          section(
            'patterns',
            'Failure patterns outside the incidents',
            patternBlocks(findingsOutsideIncidents(input), input.thresholds),
          ),
        ]),
    section('investigator', 'Notes of the investigator', investigatorBlocks(input.annotations)),
    section('sources', 'Data sources', sourceBlocks(input)),
    section('gaps', 'Gaps', gapBlocks(input)),
    section('questions', 'Open questions', openQuestionBlocks(input, groups)),
    section('method', 'Method and versions', methodBlocks(input)),
  ];
  return assembleReport(input, {
    title: `Post-mortem: ${titleOf(incidents) ?? info.name}`,
    sections,
    figures: figures.flat(),
  });
}

/** The texts of people by the section that they belong to. */
export const proseOf = ({ annotations }: Pick<ReportInput, 'annotations'>): Map<string, AnnotationOf<'prose'>> =>
  new Map(annotations.flatMap((one) => (one.kind === 'prose' ? [[one.section, one] as const] : [])));

interface Assembled {
  readonly title: string;
  readonly sections: readonly ReportSection[];
  readonly figures: readonly ReportFigure[];
}

/** A document of sections: with the texts of people in front of their facts, without empty sections and figures that none shows. */
export function assembleReport(input: ReportInput, { title, sections, figures }: Assembled): ReportDraft {
  const { info, incidents } = input;
  const prose = proseOf(input);
  const isShown = new Set(
    sections.flatMap(({ blocks }) => blocks.flatMap((one) => (one.kind === 'figure' ? one.figure : []))),
  );
  return {
    report_version: 1,
    case: info.name,
    title,
    incidents: incidents.map(({ view }) => view.incident),
    verdicts: incidents.flatMap(verdictOf),
    costs: incidents.map(({ view, cost }) => ({ incident: view.incident.id, cost })),
    findings: input.findings.map((finding) => toReportFinding(finding, incidents)),
    sections: sections
      .map((one) => withProse(one, prose.get(one.key)))
      .filter((one) => one.blocks.length > 0 || one.prose !== null),
    figures: figures.filter(({ id }) => isShown.has(id)),
  };
}

/** Adds a section about cited records that could not be read, in front of the last one. */
export function withUnread(draft: ReportDraft, unread: readonly EvidenceItem[]): ReportDraft {
  if (unread.length === 0) return draft;
  const unreadSection = section('unread', 'Records that could not be read', unreadBlocks(unread));
  return { ...draft, sections: [...draft.sections.slice(0, -1), unreadSection, ...draft.sections.slice(-1)] };
}

/** A section of an incident, or of the case. */
export function section(
  id: string,
  title: string,
  blocks: ReportBlock[],
  incident: string | null = null,
): ReportSection {
  return { id, key: incident === null ? id : `${incident}/${id}`, title, incident, prose: null, blocks };
}

interface Around {
  readonly input: ReportInput;
  readonly figures: readonly ReportFigure[];
  /** The impacts of the same incident, with its own. */
  readonly members: readonly IncidentFacts[];
  readonly prose: ReadonlyMap<string, unknown>;
}

function incidentSections(facts: IncidentFacts, { input, figures, members, prose }: Around): ReportSection[] {
  const { info, silences, thresholds } = input;
  const { id: incident } = facts.view.incident;
  const own = (id: string, title: string, blocks: ReportBlock[]): ReportSection => section(id, title, blocks, incident);
  const [sentence, ...glance] = summaryBlocks(facts);
  return [
    own('summary', 'Summary', [sentence!, ...alsoDegraded(members), ...glance]),
    own('impact', 'Impact', [...impactBlocks(facts), ...affectedTable(members)]),
    own('root_cause', 'Root cause', rootCauseBlocks(facts)),
    own('contributing', 'Contributing conditions', contributingBlocks(facts)),
    own('timeline', 'Timeline', [timelineTable(facts), ...figures.map(({ id }) => figureOf(id))]),
    own('times', 'Detection, diagnosis and repair', timesBlocks(facts)),
    ...askedSections(['went_well', 'went_badly', 'lessons'], {
      isWritten: (id) => prose.has(`${incident}/${id}`),
      heading: facts.heading,
    }).map(({ id, title, blocks }) => own(id, title, blocks)),
    own('actions', 'Action items', actionBlocks(facts)),
    own('patterns', 'Known failure patterns', patternBlocks(facts.findings, thresholds)),
    own('not_recorded', 'What was not recorded', notRecordedBlocks(info, silences, facts)),
    // With weights: for those who check the verdict.
    own('evidence', 'Evidence for and against', evidenceBlocks(facts)),
    own('ruled_out', 'Hypotheses ruled out', ruledOutBlocks(facts)),
  ];
}

function verdictOf({ view, verdict }: IncidentFacts): ReportVerdict[] {
  const judged = ({ hypothesis: { subject, type }, reason }: JudgedHypothesis) => ({ subject, type, reason });
  const { confirmed, ruledOut } = verdict;
  if (!confirmed && ruledOut.length === 0) return [];
  return [{ incident: view.incident.id, confirmed: confirmed && judged(confirmed), ruled_out: ruledOut.map(judged) }];
}

/** Of a later impact of the same cause the table of impacts is enough; what people wrote or accepted there stays. */
const written = (
  sections: readonly ReportSection[],
  { heading, actions }: IncidentFacts,
  prose: ReadonlyMap<string, unknown>,
): ReportSection[] =>
  sections.filter(
    ({ id, key }) =>
      prose.has(key) || (id === 'summary' && heading !== null) || (id === 'actions' && actions.length > 0),
  );

const findingsOutsideIncidents = ({ findings, incidents }: ReportInput): FindingView[] =>
  findings.filter(({ id }) => !incidents.some((facts) => facts.findings.some((own) => own.id === id)));

/** What people called the first incident with a title. */
export const titleOf = (incidents: readonly IncidentFacts[]): string | undefined =>
  incidents.map(({ heading }) => heading?.text.trim() ?? '').find((title) => title !== '');

function toReportFinding(finding: FindingView, incidents: readonly IncidentFacts[]): ReportFinding {
  const { id, pattern, title, headline, severity, verdict, missing, entities } = finding;
  return {
    id,
    pattern,
    title,
    headline,
    severity,
    verdict,
    start: formatUtc(nanos(finding.start_ns)),
    end: formatUtc(nanos(finding.end_ns)),
    entities,
    missing,
    incidents: incidents
      .filter(({ findings }) => findings.some((own) => own.id === id))
      .map(({ view }) => view.incident.id),
    refs: findingRefs(finding),
  };
}

/** Equal steps on several devices are one row, as in the window. */
function timelineTable({ view: { steps, onset_ns } }: IncidentFacts): ReportBlock {
  const rows = foldChain(steps).map(({ first, others }) => {
    const step = steps[first]!;
    const offset = Number(step.time_ns - onset_ns) / 1e9;
    const more = others.length === 0 ? '' : ` and ${others.length} more (${stepNumbers(others)})`;
    return {
      cells: [
        String(first + 1),
        clockText(step.time_ns),
        `${offset > 0 ? '+' : ''}${Number(offset.toFixed(1))} s`,
        step.layer,
        `${step.device}${more}`,
        typeText(step.type),
        step.summary,
      ],
      refs: [first, ...others].slice(0, MOST_REFS).map((at) => steps[at]!.ref),
    };
  });
  return table(['Step', 'Time (UTC)', 'To onset', 'Layer', 'Entity', 'Event', 'Record'], rows);
}

function withProse(rendered: ReportSection, prose: AnnotationOf<'prose'> | undefined): ReportSection {
  if (!prose || prose.text.trim() === '') return rendered;
  const conflict = conflictOf(prose.facts, statementsOf(rendered.blocks));
  return { ...rendered, prose: { annotation: prose.id, text: prose.text, conflict } };
}

/** null: the facts that the prose was written about have not changed. */
function conflictOf(then: readonly string[], now: readonly string[]): ProseConflict | null {
  const was = then.filter((one) => !now.includes(one));
  const added = now.filter((one) => !then.includes(one));
  return was.length === 0 && added.length === 0 ? null : { was, now: added };
}

/** Evidence ids that a report cites, in reading order; prose may cite some that do not exist. */
export function citedRefs({ sections, figures }: ReportDraft): { readonly facts: string[]; readonly prose: string[] } {
  const drawn = new Map(figures.map(({ id, refs }) => [id, refs]));
  const facts = new Set(sections.flatMap(({ blocks }) => refsOf(blocks, (figure) => drawn.get(figure) ?? [])));
  const prose = sections.flatMap((one) => (one.prose ? citedInProse(one.prose.text) : []));
  return { facts: [...facts], prose: [...new Set(prose)].filter((ref) => !facts.has(ref)) };
}

export const toEvidence = ({ time_ns, ref, kind, title, source, fields, raw }: EvidenceRecord): EvidenceItem => ({
  ref,
  kind,
  title,
  time: time_ns === null ? null : formatUtc(nanos(time_ns)),
  source,
  fields,
  raw,
});
