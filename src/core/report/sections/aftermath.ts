import type { CaseInfo, SilenceView } from '../../../model/contract/index.ts';
import { impactedText } from '../../../model/incident/incident.ts';
import type { Fact, ReportBlock } from '../../../model/incident/report-document.ts';
import { unseenOnsetText } from '../../../model/incident/unseen-onset.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { fact, list, sentences, table } from '../facts.ts';
import type { IncidentFacts, KnownTime } from '../report-input.ts';
import { durationText, hypothesisText, probabilityText, typeText } from '../report-text.ts';
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

/** Events that passed the fault on, and conditions that may have contributed. */
export function contributingBlocks({ view }: IncidentFacts): ReportBlock[] {
  const { steps, incident } = view;
  const carried = steps.slice(1, -1).flatMap((step, i): Fact[] => {
    const cause = step.cause === null ? undefined : steps[step.cause];
    if (!cause || incident.unmapped_devices.includes(step.device) || !steps.some(({ cause: from }) => from === i + 1))
      return [];
    const text = `${typeText(step.type)} on ${step.device} followed ${typeText(cause.type)} on ${cause.device} and passed the fault on.`;
    return [fact(text, [step.ref, cause.ref])];
  });
  const open = incident.hypotheses
    .slice(1)
    .filter(({ probability, subject }) => subject !== null && probability >= 0.1)
    .map((one) =>
      fact(`${hypothesisText(one)} cannot be excluded (${probabilityText(one.probability)}).`, [
        one.evidence.flatMap(({ refs }) => refs).find((ref) => ref.startsWith('event:')) ?? incidentRef(view),
      ]),
    );
  const unmapped = incident.unmapped_devices.map((device) =>
    fact(`The topology has no path from ${device} to ${view.service}: whether it depends on it is unknown.`, [
      steps.find((step) => step.device === device)?.ref ?? incidentRef(view),
    ]),
  );
  const all = [...carried, ...open, ...unmapped];
  return all.length > 0 ? [list(all)] : [sentences(fact('None was recorded.', [incidentRef(view)]))];
}

/** From the onset to the recovery. */
export function timesBlocks(facts: IncidentFacts): ReportBlock[] {
  const { view, detected, diagnosed, repaired, recovered } = facts;
  const doubt = Number(view.onset_ns - view.onset_earliest_ns) / 1e9;
  const unseen = unseenOnsetText(impactedText(view.incident), view);
  const how = unseen
    ? `first bad measurement; the onset is unknown: ${unseen}`
    : `first bad measurement; the last normal one is ${durationText(doubt)} earlier`;
  const row = (name: string, known: KnownTime | null, unknown: string) => ({
    cells: [
      name,
      known ? formatUtc(nanos(known.time_ns)) : 'unknown',
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
        row('Recovery', recovered, 'no normal measurement follows the impact'),
      ],
    ),
  ];
}
