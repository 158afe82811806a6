import type { FindingView } from '../../../model/incident/finding.ts';
import type { Kind, Recording } from './corpus-folder.ts';
import { HEALTHY } from './corpus-folder.ts';
import type { Expectation } from './label.ts';

/** A recording compared with what was found in it. */
export interface Outcome {
  readonly recording: Recording;
  readonly missed: readonly Expectation[];
  readonly unexpected: readonly FindingView[];
  /** Findings that were expected. */
  readonly expected: readonly FindingView[];
}

/** An expectation may be met by several findings; a finding that meets none is unexpected. */
export function judge(recording: Recording, findings: readonly FindingView[]): Outcome {
  const { expect } = recording;
  const isExpected = (finding: FindingView): boolean => expect.some((one) => meets(finding, one));
  return {
    recording,
    missed: expect.filter((one) => !findings.some((finding) => meets(finding, one))),
    unexpected: findings.filter((finding) => !isExpected(finding)),
    expected: findings.filter(isExpected),
  };
}

export const holds = ({ missed, unexpected }: Outcome): boolean => missed.length === 0 && unexpected.length === 0;

function meets(
  finding: FindingView,
  { pattern, verdict, headline, missing, entities, from, to }: Expectation,
): boolean {
  const keys = new Set(finding.entities.map(({ kind, id }) => `${kind}:${id}`));
  const layers = [...new Set(finding.missing.map(({ layer }) => layer))].sort();
  return (
    finding.pattern === pattern &&
    (verdict === undefined || finding.verdict === verdict) &&
    (headline === undefined || finding.headline.includes(headline)) &&
    (missing === undefined || layers.join() === [...new Set(missing)].sort().join()) &&
    (entities ?? []).every((key) => keys.has(key)) &&
    (from === undefined || finding.end_ns >= from) &&
    (to === undefined || finding.start_ns <= to)
  );
}

/** Recordings by label and by whether the pattern was found in them. */
export interface Confusion {
  readonly pattern: string;
  /** Of positive and partial recordings `found` is right, of the others `quiet`. */
  readonly kinds: Readonly<Record<Kind, { readonly found: number; readonly quiet: number }>>;
  /** Recordings of other patterns in which it was found and not expected. */
  readonly elsewhere: number;
}

/** @param patterns ids of the rows */
export const confusions = (outcomes: readonly Outcome[], patterns: readonly string[]): Confusion[] =>
  patterns.map((pattern) => {
    const count = (kind: Kind): { found: number; quiet: number } => {
      const own = outcomes.filter(({ recording }) =>
        kind === HEALTHY ? recording.kind === HEALTHY : recording.kind === kind && recording.pattern === pattern,
      );
      const found = own.filter((outcome) => isFound(outcome, pattern)).length;
      return { found, quiet: own.length - found };
    };
    const elsewhere = outcomes.filter(
      ({ recording, unexpected }) =>
        recording.kind !== HEALTHY &&
        recording.pattern !== pattern &&
        unexpected.some((one) => one.pattern === pattern),
    );
    return {
      pattern,
      kinds: {
        positive: count('positive'),
        partial: count('partial'),
        negative: count('negative'),
        adjacent: count('adjacent'),
        healthy: count('healthy'),
      },
      elsewhere: elsewhere.length,
    };
  });

/** Where a pattern is expected, it is found only if it is found as the label states it. */
function isFound({ recording, missed, unexpected, expected }: Outcome, pattern: string): boolean {
  if (recording.kind === 'positive' || recording.kind === 'partial')
    return !missed.some((one) => one.pattern === pattern);
  return [...unexpected, ...expected].some((one) => one.pattern === pattern);
}
