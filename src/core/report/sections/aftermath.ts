import type { CaseInfo, SilenceView } from '../../../model/contract/index.ts';
import { shortList } from '../../../model/incident/chain-folds.ts';
import { impactedText } from '../../../model/incident/incident.ts';
import type { Fact, ReportBlock } from '../../../model/incident/report-document.ts';
import { unseenOnsetText } from '../../../model/incident/unseen-onset.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { fact, list, sentences, table } from '../facts.ts';
import type { IncidentFacts, KnownTime } from '../report-input.ts';
import { clockText, durationText, hypothesisText, nameOf, probabilityText } from '../report-text.ts';
import { findingRefs } from './patterns.ts';
import { incidentRef } from './summary.ts';

/** Data that could have changed the verdict and is not in the case. */
export function notRecordedBlocks(
  info: CaseInfo,
  silences: readonly SilenceView[],
  facts?: IncidentFacts,
): ReportBlock[] {
  const names = new Map(info.sources.map(({ source_id, name }) => [source_id, name]));
  const within = facts
    ? silences.filter(({ start_ns, end_ns }) => start_ns <= facts.view.end_ns && end_ns >= facts.view.start_ns)
    : [];
  const lines = [
    ...info.layers_missing.map((layer) =>
      fact(`The ${layer} layer was not recorded: it can neither be blamed nor excluded.`, ['case:layers']),
    ),
    ...within.map(({ source_id, start_ns, end_ns, reason }) =>
      fact(
        `${names.get(source_id) ?? 'A source'} recorded nothing from ${formatUtc(nanos(start_ns))} to ${formatUtc(nanos(end_ns))}${reason === null ? '' : ` (${reason})`}.`,
        [`source:${source_id}`],
      ),
    ),
    ...info.sources
      .filter(({ rejects }) => rejects > 0)
      .map(({ source_id, name, rejects }) =>
        fact(`${rejects} record${rejects === 1 ? '' : 's'} of ${name} could not be read.`, [`source:${source_id}`]),
      ),
  ];
  return lines.length > 0
    ? [list(lines)]
    : [sentences(fact('Every layer was recorded, and every record could be read.', ['case:layers']))];
}

/** What was so before the fault and let it reach the service; the chain itself is the root cause's section. */
export function contributingBlocks({ view, map, findings, detected }: IncidentFacts): ReportBlock[] {
  const { steps, incident, start_ns } = view;
  const shared = [...Map.groupBy(map.links, ({ from }) => from)].flatMap(([from, links]): Fact[] => {
    const fed = links.filter(({ kind }) => kind === 'feeds');
    if (fed.length < 2) return [];
    const names = shortList(fed.map(({ to }) => nameOf(to)));
    return [
      fact(
        `${names} share ${nameOf(from)}: one fault of it reaches them all.`,
        fed.slice(0, MOST_REFS).map(({ ref }) => ref),
      ),
    ];
  });
  const began = steps[0]?.time_ns ?? start_ns;
  const earlier = findings
    .filter((one) => one.start_ns < began)
    .map((one) => fact(`${one.title}, since ${clockText(one.start_ns)}: ${one.headline}`, findingRefs(one)));
  const unnoticed = detected
    ? []
    : [fact('No alert and no health event of an involved entity was recorded during the impact.', [incidentRef(view)])];
  const open = incident.hypotheses
    .slice(1)
    .filter(({ probability, subject }) => subject !== null && probability >= 0.1)
    .map((one) =>
      fact(`${hypothesisText(one)} cannot be excluded (${probabilityText(one.probability)}).`, [
        one.evidence.flatMap(({ refs }) => refs).find((ref) => ref.startsWith('event:')) ?? incidentRef(view),
      ]),
    );
  const all = [...shared, ...earlier, ...unnoticed, ...open];
  return all.length > 0 ? [list(all)] : [sentences(fact('None was recorded.', [incidentRef(view)]))];
}

/** More citations than a reader opens. */
const MOST_REFS = 5;

/** From the onset to the recovery. */
export function timesBlocks(facts: IncidentFacts): ReportBlock[] {
  const { view, detected, diagnosed, repaired, recovered } = facts;
  const doubt = Number(view.onset_ns - view.onset_earliest_ns) / 1e9;
  const unseen = unseenOnsetText(impactedText(view.incident), view);
  const how = unseen
    ? `first bad measurement; the onset is unknown: ${unseen}`
    : view.incident.harm === 'ended'
      ? `more of it was due by then; the last record of it is ${durationText(doubt)} earlier`
      : `first bad measurement; the last normal one is ${durationText(doubt)} earlier`;
  const row = (name: string, known: KnownTime | null, unknown: string) => ({
    cells: [
      name,
      known ? clockText(known.time_ns) : 'unknown',
      known ? durationText(Number(known.time_ns - view.onset_ns) / 1e9) : 'unknown',
      known?.how ?? unknown,
    ],
    refs: [known?.ref ?? incidentRef(view)],
  });
  return [
    table(
      ['Phase', 'Time (UTC)', 'After onset', 'Source'],
      [
        row('Onset', { time_ns: view.onset_ns, ref: view.onset_ref, how }, ''),
        row(
          'Detection',
          detected,
          'no alert or health event of an involved entity and no note "detected" follows the onset',
        ),
        row('Diagnosis', diagnosed, 'no note "diagnosed"'),
        row('Repair', repaired, 'no recovery of the root cause and no note "repaired"'),
        row('Recovery', recovered, 'no complete normal measurement follows the impact'),
      ],
    ),
  ];
}
