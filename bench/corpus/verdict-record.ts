import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Suspect } from '../../src/core/analysis/ranking/hypothesis-line.ts';
import type { TypedHypothesis } from '../../src/model/incident/incident.ts';
import type { ConcludedAnswer } from './answer.ts';
import type { Result } from './score.ts';

/** One hypothesis as numbers: nothing of its sentences. */
export interface RecordedHypothesis {
  readonly type: string;
  /** `kind:id` */
  readonly subject: string | null;
  readonly event: string | null;
  readonly probability: number;
  /** Sum of the values per kind of evidence, six digits. Empty for what software was named, which is weighed by itself. */
  readonly features: Readonly<Record<string, number>>;
}

export interface RecordedAnswer {
  readonly service: string;
  readonly onset_ns: string;
  readonly end_ns: string;
  /** Cause and effect by `original_id`. */
  readonly chain: readonly (readonly [cause: string, effect: string])[];
  readonly hypotheses: readonly RecordedHypothesis[];
}

/** Everything that the correlator concluded about one incident of the corpus. */
export interface RecordedVerdict {
  readonly id: string;
  readonly answers: readonly RecordedAnswer[];
}

const digits = (value: number): number => Number(value.toPrecision(6));

function featuresOf(suspect: Suspect | undefined): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { kind, value } of suspect?.lines ?? []) sums[kind.id] = digits((sums[kind.id] ?? 0) + value);
  return Object.fromEntries(Object.entries(sums).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const subjectOf = ({ subject }: Pick<TypedHypothesis, 'subject'>): string | null =>
  subject && `${subject.kind}:${subject.id}`;

function recordAnswer({ service, onset_ns, end_ns, chain, conclusion }: ConcludedAnswer): RecordedAnswer {
  const { suspects, incident } = conclusion;
  const hypotheses = incident.hypotheses.map((one): RecordedHypothesis => {
    const suspect = suspects.find(
      ({ type, event, subject }) =>
        type === one.type && (event?.original_id ?? null) === one.event_id && subjectOf({ subject }) === subjectOf(one),
    );
    const { type, event_id: event, probability } = one;
    return { type, subject: subjectOf(one), event, probability, features: featuresOf(suspect) };
  });
  return { service, onset_ns: String(onset_ns), end_ns: String(end_ns), chain, hypotheses };
}

export const recordVerdicts = (results: readonly Result<ConcludedAnswer>[]): RecordedVerdict[] =>
  results.map(({ label, answers }) => ({ id: label.id, answers: answers.map(recordAnswer) }));

/** One JSON line per incident, gzip. */
export async function writeVerdicts(path: string, verdicts: readonly RecordedVerdict[]): Promise<void> {
  const lines = verdicts.map((verdict) => `${JSON.stringify(verdict)}\n`).join('');
  await writeFile(path, await promisify(gzip)(lines, { level: 9 }));
}

export async function readVerdicts(path: string): Promise<RecordedVerdict[]> {
  const text = (await promisify(gunzip)(await readFile(path))).toString();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedVerdict);
}

/** In how many incidents something differs, and how: one line each, with the incident's id first. */
export interface VerdictDifferences {
  readonly compared: number;
  readonly equal: number;
  readonly lines: readonly string[];
}

/** Of incidents that both hold; one that only one of them holds is a difference, too. */
export function compareVerdicts(
  before: readonly RecordedVerdict[],
  after: readonly RecordedVerdict[],
): VerdictDifferences {
  const old = new Map(before.map((one) => [one.id, one]));
  const now = new Set(after.map(({ id }) => id));
  const lines = after.flatMap(({ id, answers }) => {
    const known = old.get(id);
    const differences = known ? differencesOf(known.answers, answers) : ['not recorded before'];
    return differences.length > 0 ? [`${id}: ${differences.join('; ')}`] : [];
  });
  const gone = before.filter(({ id }) => !now.has(id)).map(({ id }) => `${id}: no longer there`);
  return { compared: after.length, equal: after.length - lines.length, lines: [...lines, ...gone] };
}

function differencesOf(before: readonly RecordedAnswer[], after: readonly RecordedAnswer[]): string[] {
  const windows = (answers: readonly RecordedAnswer[]) =>
    answers.map(({ service, onset_ns, end_ns }) => `${service} ${onset_ns} ${end_ns}`).join(', ');
  if (windows(before) !== windows(after)) return [`windows ${windows(before)} -> ${windows(after)}`];
  return before.flatMap((answer, i) => answerDifferences(answer, after[i]!));
}

function answerDifferences(before: RecordedAnswer, after: RecordedAnswer): string[] {
  const found: string[] = [];
  const keys = ({ hypotheses }: RecordedAnswer) => hypotheses.map(keyOf).join(', ');
  if (keys(before) !== keys(after)) found.push(`hypotheses ${keys(before)} -> ${keys(after)}`);
  if (JSON.stringify(before.chain) !== JSON.stringify(after.chain))
    found.push(`chain ${JSON.stringify(before.chain)} -> ${JSON.stringify(after.chain)}`);
  const known = new Map(before.hypotheses.map((one) => [keyOf(one), one]));
  for (const one of after.hypotheses) {
    const old = known.get(keyOf(one));
    if (!old) continue;
    if (old.probability !== one.probability)
      found.push(`${keyOf(one)} probability ${old.probability} -> ${one.probability}`);
    const ids = new Set([...Object.keys(old.features), ...Object.keys(one.features)]);
    for (const id of ids)
      if (old.features[id] !== one.features[id])
        found.push(`${keyOf(one)} ${id} ${old.features[id] ?? 'absent'} -> ${one.features[id] ?? 'absent'}`);
  }
  return found.map((text) => `${after.service}: ${text}`);
}

const keyOf = ({ type, subject, event }: RecordedHypothesis): string => `${type} ${subject ?? '-'} (${event ?? '-'})`;
