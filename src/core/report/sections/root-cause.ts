import type { IncidentView } from '../../../model/contract/index.ts';
import { annotationRef } from '../../../model/incident/annotation.ts';
import { type ChainFold, foldChain, shortList, stepNumbers } from '../../../model/incident/chain-folds.ts';
import { type ContradictedReading, contradictionText } from '../../../model/incident/contradicted-reading.ts';
import { effectFirstText } from '../../../model/incident/effect-first.ts';
import type { Evidence, Hypothesis } from '../../../model/incident/incident.ts';
import type { Fact, ReportBlock } from '../../../model/incident/report-document.ts';
import { tiedWithFirst } from '../../../model/incident/tied-hypotheses.ts';
import { fact, list, remark, sentences } from '../facts.ts';
import { linksBySource } from '../figures/topology-figure.ts';
import type { IncidentFacts } from '../report-input.ts';
import {
  countText,
  durationText,
  hypothesisText,
  linkText,
  nameOf,
  probabilityText,
  typeText,
  weightText,
} from '../report-text.ts';
import { impactRefs, incidentRef, rootCause } from './summary.ts';

/** Below this probability a hypothesis is listed as ruled out. */
const OPEN = 0.3;
/** More citations than a reader opens. */
const MOST_REFS = 5;

export function rootCauseBlocks(facts: IncidentFacts): ReportBlock[] {
  const { view, map } = facts;
  const { incident, steps } = view;
  if (steps.length <= 1)
    return [
      sentences(...rootCause(facts), fact(`No recorded event leads to ${view.service}.`, impactRefs(view))),
      ...unusedBlocks(view),
    ];
  const links = linksBySource(map.links).map(([{ from, kind }, own]) =>
    fact(
      `${nameOf(from)} ${kind.replace('_', ' ')} ${shortList(own.map(({ to }) => nameOf(to)))}.`,
      own.slice(0, MOST_REFS).map(({ ref }) => ref),
    ),
  );
  return [
    sentences(...rootCause(facts)),
    chainList(view),
    sentences(fact(chainConfidence(incident), [incidentRef(view)])),
    ...(view.steps.some((_, at) => isAhead(view, at)) ? [remark(effectFirstText)] : []),
    ...(links.length > 0
      ? [
          remark(`${isOfVerdict(incident) ? 'It spread along' : 'The chain follows'} these links of the topology:`),
          list(links),
        ]
      : []),
    ...besideBlocks(view),
    ...unusedBlocks(view),
  ];
}

/** Devices that the same cause reached, and that carry nothing of this service: no steps of its chain. */
function besideBlocks({ also_affected: beside, service }: IncidentView): ReportBlock[] {
  if (beside.length === 0) return [];
  const groups = [...Map.groupBy(beside, ({ type }) => type).values()];
  const lines = groups.map((own) => {
    const devices = [...new Set(own.map(({ device }) => device))];
    return fact(
      ` on ${shortList(devices)}.`,
      own.slice(0, MOST_REFS).map(({ ref }) => ref),
      {
        lead: typeText(own[0]?.type ?? ''),
      },
    );
  });
  return [remark(`Also affected, on no path of the topology to ${service}:`), list(lines)];
}

/** A reader who knows of these events must see that they were considered. */
function unusedBlocks({ unused_events: unused, onset_ns }: IncidentView): ReportBlock[] {
  if (unused.length === 0) return [];
  const lines = unused.map(({ ref, time_ns, type, device, reason, contradiction }) => {
    const offset = Number(time_ns - onset_ns) / 1e9;
    const when = `${durationText(Math.abs(offset))} ${offset < 0 ? 'before' : 'after'} the onset`;
    return fact(`, ${when}: ${reason}${contradictedBy(contradiction)}.`, [ref], {
      lead: `${typeText(type)} on ${device}`,
    });
  });
  return [remark('Critical events near the onset that the chain does not use:'), list(lines)];
}

/** Behind what an event states. */
const contradictedBy = (contradiction: ContradictedReading | null): string =>
  contradiction === null ? '' : `; contradicted: ${contradictionText(contradiction)}`;

/** Whether the chain begins with the most probable hypothesis; otherwise it is a lead only. */
const isOfVerdict = ({
  causal_chain,
  hypotheses,
}: Pick<IncidentView['incident'], 'causal_chain' | 'hypotheses'>): boolean =>
  hypotheses[0]?.event_id === causal_chain[0]?.event_id;

/** A chain is as probable as its weakest link, and only a lead where the evidence favours another root cause. */
function chainConfidence({ causal_chain, hypotheses }: IncidentView['incident']): string {
  const links = causal_chain.filter(({ caused_by }) => caused_by !== null);
  const untied = links.filter(({ probability }) => probability === null).length;
  const [weakest] = links.toSorted((a, b) => (a.probability ?? 1) - (b.probability ?? 1));
  return [
    ...(weakest && weakest.probability !== null
      ? [
          `The weakest link of the chain leads to ${linkEnd(weakest)}: probability ${probabilityText(weakest.probability)}.`,
        ]
      : []),
    ...(untied > 0 ? [`No known mechanism links ${countText(untied, 'step')} to the root cause.`] : []),
    ...(isOfVerdict({ causal_chain, hypotheses })
      ? tiedWithFirst(hypotheses).length > 0
        ? ['It belongs to one of the hypotheses between which the evidence does not decide.']
        : []
      : ['The evidence favours another hypothesis. Read the chain as a lead, not as a finding.']),
  ].join(' ');
}

const linkEnd = ({ type, device_id }: IncidentView['incident']['causal_chain'][number]): string =>
  type === 'trace_degradation' ? 'the impact' : `${typeText(type)} on ${device_id}`;

/** Folded steps would shift the numbers of an ordered list away from those in figure and table: then each fact has its number. */
function chainList(view: IncidentView): ReportBlock {
  const folds = foldChain(view.steps);
  const isFolded = folds.length < view.steps.length;
  return list(
    folds.map((fold) => chainFact(view, fold, isFolded)),
    !isFolded,
  );
}

/** How long before the onset the first step was recorded. */
function aheadText(seconds: number): string {
  if (seconds === 0) return 'at the onset';
  if (seconds > 0) return `${durationText(seconds)} before the impact`;
  return `recorded ${durationText(-seconds)} after the onset`;
}

/** An effect may be recorded before its cause: polls, samples and log lines come after what they record. */
const behindText = (seconds: number, cause: string): string =>
  seconds < 0 ? `${durationText(-seconds)} before ${cause}, was recorded` : `${durationText(seconds)} after ${cause}`;

/** Whether a step was recorded before its cause. */
function isAhead({ steps }: IncidentView, at: number): boolean {
  const cause = steps[at]?.cause ?? null;
  return cause !== null && steps[at]!.time_ns < (steps[cause]?.time_ns ?? steps[at]!.time_ns);
}

/** A step, and the steps of the same kind on other devices. */
function chainFact(view: IncidentView, { first: at, others }: ChainFold, isNumbered: boolean): Fact {
  const { incident, steps } = view;
  const step = incident.causal_chain[at]!;
  const drawn = steps[at];
  const cause = drawn?.cause ?? null;
  const lag =
    cause === null || !drawn
      ? aheadText(step.lag_seconds)
      : behindText(
          Number(drawn.time_ns - (steps[cause]?.time_ns ?? drawn.time_ns)) / 1e9,
          `${step.probability === null ? '' : 'its cause, '}step ${cause + 1}`,
        );
  const notes = [
    step.indirect_causality ? 'indirect' : '',
    drawn?.undecided ? 'order undecided: the difference is within the clock uncertainty' : '',
  ].filter(Boolean);
  const isImpact = at === incident.causal_chain.length - 1;
  const where = isImpact ? ['the impact', ...(isAhead(view, at) ? [lag] : [])].join(', ') : lag;
  const sure = step.caused_by === null ? '' : `, ${linkText(step.probability)}`;
  const noteText = notes.length > 0 ? ` (${notes.join('; ')})` : '';
  const number = isNumbered ? ` (step ${at + 1})` : '';
  const devices = [...new Set(others.map((other) => steps[other]?.device ?? '?'))];
  const also = others.length === 0 ? '' : `; the same on ${shortList(devices)} (${stepNumbers(others)})`;
  const refs = [at, ...others].slice(0, MOST_REFS).map((place) => steps[place]?.ref ?? incidentRef(view));
  const text = ` on ${step.device_id}${number}: ${where}${sure}${noteText}${also}${contradictedBy(drawn?.contradiction ?? null)}`;
  return fact(text, refs, { lead: typeText(drawn?.type ?? step.type) });
}

const howToRead = remark(
  'In brackets the weight, in log-odds: a positive one makes the hypothesis more probable, a negative one less. Strong from 2, weak below 0.7.',
);

/** Of the most probable hypothesis and of every other that stays possible. */
export function evidenceBlocks({ view }: IncidentFacts): ReportBlock[] {
  const [best, ...others] = view.incident.hypotheses;
  if (!best) return [sentences(fact('No hypothesis was formed.', [incidentRef(view)]))];
  const open = [best, ...others.filter(({ probability }) => probability >= OPEN)];
  return [
    howToRead,
    ...open.flatMap((hypothesis) => [
      sentences(
        fact(`, probability ${probabilityText(hypothesis.probability)}.`, [incidentRef(view)], {
          lead: `${hypothesis.rank}. ${hypothesisText(hypothesis)}`,
        }),
      ),
      list([
        ...bySign(hypothesis, 'for', 'For'),
        ...bySign(hypothesis, 'against', 'Against'),
        ...bySign(hypothesis, 'neutral', 'Neutral'),
      ]),
    ]),
  ];
}

function bySign({ evidence }: Hypothesis, sign: 'for' | 'against' | 'neutral', lead: string): Fact[] {
  const own = evidence.filter((line) => line.sign === sign);
  const details = own
    .toSorted((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
    .map((line) => ({ text: weighedText(line), refs: citable(line.refs) }));
  return own.length === 0 ? [] : [fact('', [], { lead, details })];
}

/** `strong: reported as critical (+2.9)` */
function weighedText(line: Evidence): string {
  const size = Math.abs(line.weight);
  const word = line.sign === 'neutral' ? '' : size >= 2 ? 'strong: ' : size >= 0.7 ? 'moderate: ' : 'weak: ';
  return `${word}${line.text} (${weightText(line, 1)})`;
}

/** Prior assumptions are described by the method. */
const citable = (refs: readonly string[]): string[] => (refs.length > 0 ? refs.slice(0, MOST_REFS) : ['case:method']);

/** Each with the strongest evidence against it first. */
export function ruledOutBlocks({ view, verdict }: IncidentFacts): ReportBlock[] {
  const byPerson = verdict.ruledOut.map(({ hypothesis, reason, annotation }) => {
    const text = `, by the investigator${reason === '' ? '' : `: ${reason}`}; computed probability ${probabilityText(hypothesis.probability)}`;
    return fact(text, [annotationRef(annotation)], { lead: hypothesisText(hypothesis) });
  });
  const judged = new Set([verdict.confirmed?.hypothesis, ...verdict.ruledOut.map(({ hypothesis }) => hypothesis)]);
  const others = view.incident.hypotheses
    .slice(1)
    .filter((hypothesis) => hypothesis.probability < OPEN && !judged.has(hypothesis));
  if (others.length + byPerson.length === 0)
    return [sentences(fact('No other hypothesis was considered.', [incidentRef(view)]))];
  return [
    list([
      ...byPerson,
      ...others.map((hypothesis) => {
        const details = hypothesis.evidence
          .toSorted((a, b) => a.weight - b.weight)
          .map((line) => ({ text: weighedText(line), refs: citable(line.refs) }));
        const text = `, probability ${probabilityText(hypothesis.probability)}${why(hypothesis)}`;
        return fact(text, [incidentRef(view)], { lead: hypothesisText(hypothesis), details });
      }),
    ]),
  ];
}

function why({ evidence }: Hypothesis): string {
  const [most] = evidence.filter(({ sign }) => sign === 'against').toSorted((a, b) => a.weight - b.weight);
  return most ? `: ${most.text}` : ': less evidence supports it than the others';
}
