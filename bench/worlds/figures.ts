import type { Answer } from '../corpus/answer.ts';
import { isRight, judge, type Result, score, type Verdict } from '../corpus/score.ts';
import { average, bootstrap, type Figure, share } from '../corpus/statistics.ts';
import type { WorldIncident, WorldLabel } from './world.ts';

/** One recording with its answers, and how they are judged against each of its labels. */
export interface Judged {
  readonly incident: WorldIncident;
  readonly answers: readonly Answer[];
  readonly verdicts: readonly JudgedLabel[];
  readonly import_ms: number;
  readonly correlate_ms: number;
}

export interface JudgedLabel {
  readonly label: WorldLabel;
  readonly verdict: Verdict;
}

export function judgeIncident(
  incident: WorldIncident,
  answers: readonly Answer[],
  times: { readonly import_ms: number; readonly correlate_ms: number },
): Judged {
  const named = answers.map((answer) => ({ ...answer, service: nameIn(incident, answer.service) }));
  const verdicts = incident.labels.map((label) => {
    const result: Result = { label, answers: named, milliseconds: times.correlate_ms };
    return { label, verdict: judge(result) };
  });
  return { incident, answers: named, verdicts, ...times };
}

/** A service or job as the world calls it: in a case, a Kubernetes job has its namespace before its name. */
function nameIn({ labels, calm }: WorldIncident, service: string): string {
  const bare = service.slice(service.lastIndexOf('/') + 1);
  return calm.includes(bare) || labels.some(({ affected_services }) => affected_services.includes(bare))
    ? bare
    : service;
}

/** A figure, and what it counts. */
export type Line = readonly [title: string, figure: Figure];

/** Probability of the first hypothesis, and whether it was right: the true root is, whether or not it was recorded. */
function stated({ verdict }: JudgedLabel): { readonly probability: number; readonly right: boolean } | undefined {
  const [first] = verdict.answer?.hypotheses ?? [];
  return first && { probability: first.probability, right: isRight(verdict) || verdict.rank === 1 };
}

const CONFIDENT = 0.9;

/**
 * AC@k and what else is about a known root: of labels that can be known from the files. A label is one incident; some
 * recordings have two of them.
 */
export function linesOf(judged: readonly Judged[]): Line[] {
  const labels = judged.flatMap(({ verdicts }) => verdicts);
  const known = labels.filter(({ label }) => label.inferable);
  const { ac1, ac3, software, falseAccusations, missed, calibrationError } = score(known.map(({ verdict }) => verdict));
  const hidden = labels.filter(({ label }) => !label.inferable && label.expected === 'device');
  const said = labels.flatMap((one) => stated(one) ?? []);
  const calmRecordings = judged.filter(({ incident }) => incident.labels.some(({ expected }) => expected === 'none'));
  const calmServices = judged.flatMap(({ incident, answers }) =>
    incident.calm.map((name) => answers.some(({ service, hypotheses }) => service === name && hypotheses.length > 0)),
  );
  const unknown = labels.filter(({ label }) => label.expected === 'insufficient_evidence');
  return [
    ['root device first (AC@1)', ac1],
    ['root device in first three (AC@3)', ac3],
    ['software cause first', software],
    ['wrong accusations (nothing physical, device > 0.5)', falseAccusations],
    [
      'wrong accusations (device root, other device > 0.5)',
      share(
        known
          .filter(({ label }) => label.expected === 'device')
          .map(({ verdict }) => verdict.accused && verdict.rank !== 1),
      ),
    ],
    ['root not recorded: admitted', share(unknown.map(({ verdict }) => verdict.admitted))],
    [
      'root not recorded: another device > 0.5',
      share(unknown.map(({ verdict }) => verdict.accused && verdict.rank !== 1)),
    ],
    ['root recorded, but not to be known: AC@1', share(hidden.map(({ verdict }) => verdict.rank === 1))],
    ['missed (no window)', missed],
    ['calm recordings with an incident', share(calmRecordings.map(({ answers }) => answers.length > 0))],
    ['calm services with an incident', share(calmServices)],
    ['expected calibration error', calibrationError],
    [
      'log loss of the first hypothesis',
      bootstrap(said, (list) =>
        average(list.map(({ probability, right }) => -Math.log(Math.max(1e-3, right ? probability : 1 - probability)))),
      ),
    ],
    [
      `said with ${CONFIDENT} or more, and wrong`,
      share(said.filter(({ probability }) => probability >= CONFIDENT).map(({ right }) => !right)),
    ],
  ];
}

/** Right answers of a family, of labels that can be known. */
export function familyLine(
  judged: readonly Judged[],
  family: string,
): { readonly right: number; readonly of: number; readonly harmless: number } {
  const labels = judged.flatMap(({ verdicts }) => verdicts).filter(({ label }) => label.family === family);
  const known = labels.filter(({ label }) => label.inferable && label.expected !== 'none');
  return {
    right: known.filter(({ verdict }) => isRight(verdict)).length,
    of: known.length,
    harmless: labels.length - known.length,
  };
}
