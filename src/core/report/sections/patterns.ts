import { annotationRef } from '../../../model/incident/annotation.ts';
import type { Estimate, FindingView } from '../../../model/incident/finding.ts';
import { isMeasuredHarm } from '../../../model/incident/incident.ts';
import type { Fact, ReportBlock } from '../../../model/incident/report-document.ts';
import { fact, list, remark, sentences, table } from '../facts.ts';
import type { IncidentFacts } from '../report-input.ts';
import { momentText } from '../report-text.ts';
import { incidentRef } from './summary.ts';

/** The window and `faultline patterns` list all. */
const MOST_SHOWN = 20;
const MOST_REFS = 5;

/** Known failure signatures, worst first; [] where none was found. @param thresholds that are not the defaults, in words */
export function patternBlocks(findings: readonly FindingView[], thresholds: readonly string[]): ReportBlock[] {
  if (findings.length === 0) return [];
  const more = findings.length - MOST_SHOWN;
  return [
    ...(thresholds.length > 0 ? [remark(thresholdsText(thresholds))] : []),
    list(findings.slice(0, MOST_SHOWN).map(findingFact)),
    ...(more > 0 ? [remark(`${more} more were found: \`faultline patterns\` lists them all.`)] : []),
  ];
}

/** Beside findings, and where none was found. */
export const thresholdsText = (thresholds: readonly string[]): string =>
  `Thresholds changed: ${thresholds.join(', ')}.`;

/** The records behind a finding, one of each line of its evidence first. */
export function findingRefs({ evidence, contradictions }: FindingView): string[] {
  const shown = contradictions.flatMap(({ refs }) => refs);
  const firsts = evidence.flatMap(({ refs }) => refs.slice(0, 1));
  return [...new Set([...firsts.slice(0, 1), ...shown, ...firsts, ...evidence.flatMap(({ refs }) => refs)])].slice(
    0,
    MOST_REFS,
  );
}

function findingFact(finding: FindingView): Fact {
  const { title, headline, start_ns, verdict, missing, estimates, contradictions } = finding;
  const partial = verdict === 'partial' ? ` Partial: ${missing.map(({ text }) => text).join('; ')}.` : '';
  const contradicted =
    contradictions.length === 0 ? '' : ` Contradicted: ${contradictions.map(({ text }) => text).join('; ')}.`;
  const estimated = estimates.map(estimateText).join('');
  return fact(`, ${momentText(start_ns)}: ${headline}${contradicted}${partial}${estimated}`, findingRefs(finding), {
    lead: title,
  });
}

const estimateText = ({ text, assumes, disproved_by }: Estimate): string =>
  ` Estimate: ${text}. It assumes that ${assumes.join(', and that ')}; it is disproved if ${disproved_by}.`;

/** Action items of people, then those that the findings propose and nobody accepted. */
export function actionBlocks(facts: IncidentFacts): ReportBlock[] {
  const { findings, actions } = facts;
  const accepted = new Set(actions.map(({ text }) => text));
  const sound = findings.filter((one) => isSound(one, facts));
  const proposed = proposals(sound).filter(({ text }) => !accepted.has(text));
  const own = actions.map((one) => ({
    cells: [
      `${one.done ? '☑' : '☐'} ${one.text}`,
      ...[one.owner, one.priority, one.due].map((cell) => cell || 'not set'),
      one.ticket || 'none',
    ],
    refs: [annotationRef(one.id)],
  }));
  const head = ['Action', 'Owner', 'Priority', 'Due', 'Ticket'];
  const weak = findings.filter((one) => !sound.includes(one));
  if (own.length + proposed.length === 0) return [sentences(nothingProposed(facts, weak))];
  const rows = proposed.map(({ text, refs }) => ({ cells: [text, 'not set', 'not set', 'not set', 'none'], refs }));
  return [
    ...(own.length > 0 ? [table(head, own)] : []),
    ...(rows.length > 0
      ? [
          remark('Proposed because of the root cause and the strong patterns. Accept, change or delete each.'),
          table(head, rows),
        ]
      : []),
    ...(weak.length > 0 ? [remark(weakText(weak))] : []),
  ];
}

/**
 * Whether an action may follow from a finding: no sample contradicts it, and it is about the root cause, or about what the impact
 * is itself, or complete and grave. What is only like a pattern sends nobody to a machine.
 */
export function isSound(
  { entities, contradictions, verdict: completeness, severity }: FindingView,
  { view, verdict }: Pick<IncidentFacts, 'view' | 'verdict'>,
): boolean {
  if (contradictions.length > 0) return false;
  const named = verdict.undecided.length > 0 ? verdict.undecided : verdict.leading ? [verdict.leading] : [];
  const about = new Set(named.flatMap(({ subject }) => (subject ? `${subject.kind}:${subject.id}` : [])));
  if (entities.some(({ kind, id }) => about.has(`${kind}:${id}`))) return true;
  if (!isMeasuredHarm(view.incident.harm) && entities.some(({ id }) => id.split('/')[0] === view.service)) return true;
  return completeness === 'complete' && (severity === 'critical' || severity === 'high');
}

const weakText = (weak: readonly FindingView[]): string =>
  `No action is proposed for what only resembles a pattern here, or is minor: ${[...new Set(weak.map(({ title }) => title))].join(', ')}.`;

const nothingProposed = ({ view }: IncidentFacts, weak: readonly FindingView[]): Fact =>
  fact(
    weak.length > 0
      ? weakText(weak)
      : 'No known failure pattern matches this incident. The only proposal is to record the missing data (see "What was not recorded").',
    [incidentRef(view), 'case:layers'],
  );

/** Actions that the findings advise. */
export function proposals(findings: readonly FindingView[]): Fact[] {
  const advice = new Map<string, FindingView[]>();
  for (const finding of findings)
    for (const { text, source } of finding.remediation) {
      const action = `${text} Source: ${source}.`;
      advice.set(action, [...(advice.get(action) ?? []), finding]);
    }
  const items = [...advice].map(([action, because]) => proposal(action, because));
  const partial = findings.filter(({ verdict }) => verdict === 'partial');
  if (partial.length > 0) {
    const missing = [...new Set(partial.flatMap((one) => one.missing.map(({ text }) => text)))];
    items.push(proposal(`Record the missing data: ${missing.join('; ')}.`, partial));
  }
  return items;
}

function proposal(action: string, because: readonly FindingView[]): Fact {
  const titles = [...new Set(because.map(({ title }) => title))];
  return fact(`${action} Reason: ${titles.join(', ')}.`, because.flatMap(findingRefs).slice(0, MOST_REFS));
}
