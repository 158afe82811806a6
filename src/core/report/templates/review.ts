import { annotationRef } from '../../../model/incident/annotation.ts';
import type { Fact, ReportBlock, ReportFigure, ReportSection } from '../../../model/incident/report-document.ts';
import { proseOf, section } from '../document.ts';
import { fact, figureOf, list, sentences, table } from '../facts.ts';
import type { IncidentFacts, KnownTime, ReportInput } from '../report-input.ts';
import { clockText, durationText, momentText, typeText } from '../report-text.ts';
import { affectedTable, alsoDegraded } from '../sections/affected.ts';
import { contributingBlocks, timesBlocks } from '../sections/aftermath.ts';
import { impactList } from '../sections/impact.ts';
import { actionBlocks } from '../sections/patterns.ts';
import { type AskedId, askedSections } from '../sections/people.ts';
import { incidentRef, rootCause, whatDegraded } from '../sections/summary.ts';
import { momentsTable } from './moments.ts';

/** What a template is filled in from: the impacts of one incident, the one that it follows first. */
export interface TemplateInput {
  readonly input: ReportInput;
  readonly members: readonly [IncidentFacts, ...IncidentFacts[]];
  readonly figures: readonly ReportFigure[];
}

type Own = (id: string, title: string, blocks: ReportBlock[]) => ReportSection;

/** Sections of the first impact, and those that people write. */
export function sectionsOf({ input, members: [facts] }: TemplateInput): {
  own: Own;
  ask: (...ids: AskedId[]) => ReportSection[];
} {
  const { id: incident } = facts.view.incident;
  const prose = proseOf(input);
  const own: Own = (id, title, blocks) => section(id, title, blocks, incident);
  const ask = (...ids: AskedId[]): ReportSection[] =>
    askedSections(ids, { isWritten: (id) => prose.has(`${incident}/${id}`), heading: facts.heading }).map((one) =>
      own(one.id, one.title, one.blocks),
    );
  return { own, ask };
}

/** As the example post-mortem in the SRE book (Beyer et al., 2016, appendix D) is arranged. */
export function sreSections(given: TemplateInput): ReportSection[] {
  const { input, members, figures } = given;
  const [facts] = members;
  const { own, ask } = sectionsOf(given);
  return [
    own('about', 'About', aboutBlocks(facts)),
    own('summary', 'Summary', [sentences(whatDegraded(facts), ...rootCause(facts)), ...alsoDegraded(members)]),
    own('impact', 'Impact', [list(impactList(facts)), ...affectedTable(members)]),
    own('root_cause', 'Root causes', [sentences(...rootCause(facts)), ...contributingBlocks(facts)]),
    own('trigger', 'Trigger', [sentences(trigger(facts))]),
    own('resolution', 'Resolution', [sentences(resolution(facts))]),
    ...ask('resolution_done'),
    own('detection', 'Detection', [sentences(detection(facts))]),
    own('actions', 'Action items', actionBlocks(facts)),
    ...ask('went_well', 'went_badly', 'lucky', 'lessons'),
    own('timeline', 'Timeline', [momentsTable(facts, input.annotations)]),
    own(
      'supporting',
      'Supporting information',
      figures.map(({ id }) => figureOf(id)),
    ),
  ];
}

/** No single root cause and nobody's mistake: what was seen and known when, and what made it possible. */
export function blamelessSections(given: TemplateInput): ReportSection[] {
  const { input, members, figures } = given;
  const [facts] = members;
  const { own, ask } = sectionsOf(given);
  return [
    own('about', 'About', aboutBlocks(facts)),
    own('summary', 'What happened', [sentences(whatDegraded(facts)), ...alsoDegraded(members)]),
    own('impact', 'Impact', [list(impactList(facts)), ...affectedTable(members)]),
    own('timeline', 'What was recorded, and when', [
      momentsTable(facts, input.annotations),
      ...figures.slice(0, 1).map(({ id }) => figureOf(id)),
    ]),
    ...ask('known_when'),
    own('times', 'Detection, diagnosis and repair', timesBlocks(facts)),
    own('contributing', 'Contributing factors', [sentences(...rootCause(facts)), ...contributingBlocks(facts)]),
    ...ask('went_well', 'went_badly', 'lucky', 'lessons'),
    own('actions', 'Follow-up', actionBlocks(facts)),
  ];
}

function aboutBlocks({ view, heading, actions, recovered }: IncidentFacts): ReportBlock[] {
  const done = actions.filter((one) => one.done).length;
  const state = [
    recovered ? 'recovered' : 'recovery not recorded',
    actions.length === 0 ? 'no action agreed' : `${done} of ${actions.length} actions done`,
  ];
  return [
    table(
      ['Date', 'Authors', 'Severity', 'Status'],
      [
        {
          cells: [
            momentText(view.onset_ns).slice(0, 10),
            heading?.owner || 'not set',
            heading?.severity || 'not set',
            state.join(', '),
          ],
          refs: [incidentRef(view), ...(heading ? [annotationRef(heading.id)] : [])],
        },
      ],
    ),
  ];
}

/** The first event on the way to the impact, if the evidence favours it. */
function trigger({ view, verdict }: IncidentFacts): Fact {
  const { incident, steps } = view;
  const [first] = incident.causal_chain;
  const isFavoured =
    steps.length > 1 && verdict.undecided.length === 0 && verdict.leading?.event_id === first?.event_id;
  const step = steps[0];
  if (!isFavoured || !step || !first)
    return fact('No recorded event is established as the trigger.', [incidentRef(view)]);
  return fact(
    `${typeText(step.type)} on ${step.device} at ${momentText(step.time_ns)}: ${step.summary.replace(/\.?$/, '.')}`,
    [step.ref],
  );
}

function resolution({ view, repaired, recovered }: IncidentFacts): Fact {
  const after = (one: KnownTime): string =>
    `${momentText(one.time_ns)}, ${durationText(Number(one.time_ns - view.onset_ns) / 1e9)} after the onset (${one.how})`;
  const mended = repaired ? `The cause was repaired at ${after(repaired)}` : 'No repair of the cause was recorded';
  const back = recovered
    ? `${view.service} was back to normal at ${after(recovered)}`
    : `no normal measurement of ${view.service} follows`;
  return fact(
    `${mended}; ${back}.`,
    [repaired, recovered].flatMap((one) => one?.ref ?? incidentRef(view)),
  );
}

function detection({ view, detected, diagnosed }: IncidentFacts): Fact {
  const seen = detected
    ? `Detected at ${momentText(detected.time_ns)}, ${durationText(Number(detected.time_ns - view.onset_ns) / 1e9)} after the onset, by ${detected.how}`
    : 'No alert and no health event of an involved entity was recorded during the impact';
  const known = diagnosed ? `diagnosed at ${clockText(diagnosed.time_ns)} UTC` : 'no time of diagnosis is stated';
  return fact(
    `${seen}; ${known}.`,
    [detected, diagnosed].flatMap((one) => one?.ref ?? incidentRef(view)),
  );
}
