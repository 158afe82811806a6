import { type EntityKind, layerOf } from '../../src/model/entity.ts';
import type { TypedHypothesis } from '../../src/model/incident/incident.ts';
import type { Answer } from './answer.ts';
import type { Label } from './label.ts';
import { average, bootstrap, calibrationError, type Figure, type Judgement, share } from './statistics.ts';

/** An incident with all answers of an engine. */
export interface Result<T extends Answer = Answer> {
  readonly label: Label;
  readonly answers: readonly T[];
  readonly milliseconds: number;
}

/** How the answer to one incident is judged. */
export interface Verdict<T extends Answer = Answer> {
  readonly label: Label;
  /** The answer that counts; undefined: the incident was not detected (or, on a healthy night, rightly nothing). */
  readonly answer: T | undefined;
  /** Rank of the truth among the hypotheses, from 1; Infinity when it is not there. */
  readonly rank: number;
  readonly accused: boolean;
  readonly admitted: boolean;
  readonly chainF1: number | undefined;
  /** Of every link that the answers draw: how probable, and whether it is so. */
  readonly links: readonly Judgement[];
  readonly milliseconds: number;
}

/** A window this far from the truth is about something else. */
const NEAR_NS = 180_000_000_000n;

/**
 * The answer that counts for a label: of an affected service, the window nearest to the true onset. On healthy nights the
 * one that accuses loudest.
 */
export function answerFor<T extends Answer>(result: Result<T>): T | undefined {
  const { label, answers } = result;
  if (label.expected === 'none') return answers.toSorted((a, b) => accusation(b) - accusation(a))[0];
  return about(result).toSorted((a, b) => Number(distance(a, label) - distance(b, label)))[0];
}

/** The answers on the incident, one per affected service. */
const about = <T extends Answer>({ label, answers }: Result<T>): T[] =>
  answers.filter(
    ({ service, onset_ns, end_ns }) =>
      label.affected_services.includes(service) &&
      onset_ns <= label.end_ns + NEAR_NS &&
      end_ns >= label.onset_ns - NEAR_NS,
  );

const distance = ({ onset_ns }: Answer, label: Label): bigint =>
  onset_ns > label.onset_ns ? onset_ns - label.onset_ns : label.onset_ns - onset_ns;

/** Services, jobs and what belongs to them are software; everything else can be touched. */
const isDevice = ({ subject }: TypedHypothesis): boolean =>
  subject !== null &&
  subject.kind !== 'pod' &&
  subject.kind !== 'container' &&
  layerOf(subject.kind as EntityKind) !== 'service';

const accusation = ({ hypotheses: [first] }: Answer): number => (first && isDevice(first) ? first.probability : 0);

/** Whether a hypothesis is the truth of the label. */
export function isTruth(hypothesis: TypedHypothesis, label: Label): boolean {
  const { subject, type } = hypothesis;
  switch (label.expected) {
    case 'insufficient_evidence':
      return type === 'insufficient_evidence' || isRoot(subject, label);
    case 'none':
      // Inspecting the software of a service with a short impact is harmless.
      return type === 'no_physical_cause' || (subject?.kind === 'service' && hypothesis.event_id === null);
    case 'no_physical_cause':
      return (
        type === 'no_physical_cause' ||
        (subject?.kind === 'service' && subject.id === label.guilty_service) ||
        isRoot(subject, label)
      );
    case 'device':
      return isRoot(subject, label);
  }
}

/** One box under several names may be a server here and a node there. */
const machines = new Set(['server', 'node', 'instance', 'device']);

/** A port of the switch, or an outlet of the PDU, says more than asked. */
const partsOf: Readonly<Record<string, string>> = { port: 'switch', outlet: 'pdu', breaker: 'pdu' };

const isRoot = (subject: TypedHypothesis['subject'], { root, root_equivalents }: Label): boolean =>
  subject !== null &&
  [root, ...root_equivalents].some(
    (one) =>
      one &&
      (one.id === subject.id
        ? one.kind === subject.kind ||
          subject.kind === 'device' ||
          (machines.has(one.kind) && machines.has(subject.kind))
        : partsOf[subject.kind] === one.kind && subject.id.startsWith(`${one.id}/`)),
  );

export function judge<T extends Answer>(result: Result<T>): Verdict<T> {
  const { label, milliseconds } = result;
  const answer = answerFor(result);
  const index = answer?.hypotheses.findIndex((hypothesis) => isTruth(hypothesis, label)) ?? -1;
  return {
    label,
    answer,
    milliseconds,
    rank: index < 0 ? Number.POSITIVE_INFINITY : index + 1,
    accused: answer !== undefined && accusation(answer) > 0.5,
    admitted:
      answer !== undefined &&
      (answer.hypotheses[0]?.type === 'insufficient_evidence' ||
        label.withheld_layers.some((layer) => answer.missing_layers.includes(layer))),
    chainF1: label.expected === 'device' && label.chain.length > 0 ? edgeF1(about(result), label) : undefined,
    links: label.expected === 'none' ? [] : about(result).flatMap((one) => judgeLinks(one, label)),
  };
}

/**
 * Links between events where a device is the cause, for they are right or wrong whatever the root; the link to the service wherever the
 * cause is known: right when it comes from an event of the true chain.
 */
function judgeLinks({ links }: Answer, { expected, chain, repeats, root_event_id }: Label): Judgement[] {
  const name = (id: string) => repeats[id] ?? id;
  const truth = new Set(chain.map(([cause, effect]) => `${cause} ${effect}`));
  const events = new Set([root_event_id, ...chain.flat()]);
  const isDevice = expected === 'device';
  return links.flatMap(({ cause, effect, probability }): Judgement[] => {
    if (expected === 'insufficient_evidence' || (effect !== null && !isDevice)) return [];
    if (effect === null) return [{ probability, right: isDevice && events.has(name(cause)) }];
    return [{ probability, right: truth.has(`${name(cause)} ${name(effect)}`) }];
  });
}

/** Of all edges of all answers together: the chain of an incident with three services is in three parts. */
function edgeF1(answers: readonly Answer[], label: Label): number {
  const name = (id: string) => label.repeats[id] ?? id;
  const truth = new Set(label.chain.map(([cause, effect]) => `${cause} ${effect}`));
  const edges = answers.flatMap(({ chain }) => chain);
  const knownEdges = new Set(edges.map(([cause, effect]) => `${name(cause)} ${name(effect)}`));
  const right = [...knownEdges].filter((edge) => truth.has(edge)).length;
  return knownEdges.size + truth.size === 0 ? 0 : (2 * right) / (knownEdges.size + truth.size);
}

/** Whether the first hypothesis is the one to give: the root, no cause at all, or "not enough evidence". */
export const isRight = (verdict: Verdict): boolean => {
  const { label, rank } = verdict;
  if (label.expected === 'none') return !verdict.accused;
  if (label.expected === 'insufficient_evidence') return verdict.admitted;
  return rank === 1;
};

export interface Score {
  /** True root device first, and among the first three; incidents whose root can be known. */
  readonly ac1: Figure;
  readonly ac3: Figure;
  readonly chainF1: Figure;
  /** First hypothesis is a device with more than even odds although nothing physical happened. */
  readonly falseAccusations: Figure;
  /** The layer of the cause was not recorded, and the answer lists it. */
  readonly admitted: Figure;
  /** Software causes: "no physical cause", or the guilty service, is first. */
  readonly software: Figure;
  readonly calibrationError: Figure;
  /** As above, of the arrows of chains. */
  readonly linkCalibrationError: Figure;
  /** Incidents of which no window was found. */
  readonly missed: Figure;
  readonly milliseconds: number;
}

export function score(verdicts: readonly Verdict[]): Score {
  const expecting = (expected: Label['expected']) => verdicts.filter(({ label }) => label.expected === expected);
  const devices = expecting('device');
  const innocent = [...expecting('none'), ...expecting('no_physical_cause')];
  const harmed = verdicts.filter(({ label }) => label.expected !== 'none');
  const chains = verdicts.flatMap(({ chainF1 }) => (chainF1 === undefined ? [] : [chainF1]));
  return {
    ac1: share(devices.map(({ rank }) => rank === 1)),
    ac3: share(devices.map(({ rank }) => rank <= 3)),
    chainF1: bootstrap(chains, average),
    falseAccusations: share(innocent.map(({ accused }) => accused)),
    admitted: share(expecting('insufficient_evidence').map(({ admitted }) => admitted)),
    software: share(expecting('no_physical_cause').map(({ rank }) => rank === 1)),
    calibrationError: bootstrap(verdicts.flatMap(judgementOf), calibrationError),
    linkCalibrationError: bootstrap(
      verdicts.flatMap(({ links }) => links),
      calibrationError,
    ),
    missed: share(harmed.map(({ answer }) => answer === undefined)),
    milliseconds: average(verdicts.map(({ milliseconds }) => milliseconds)),
  };
}

/** The first hypothesis of what was answered: its probability, and whether it was true. */
function judgementOf({ answer, rank }: Verdict): Judgement[] {
  const [first] = answer?.hypotheses ?? [];
  return first ? [{ probability: first.probability, right: rank === 1 }] : [];
}
