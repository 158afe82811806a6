import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { HostileInput, Tally, Target } from './target.ts';

/** A defect, with what is needed to see it again. */
export interface Crash {
  readonly seed: number;
  readonly message: string;
  /** Where the minimised input lies. */
  readonly file: string;
}

export interface Run {
  readonly inputs: number;
  readonly rows: number;
  readonly rejects: number;
  readonly crash: Crash | null;
}

const results = join(import.meta.dirname, '../.cache/fuzz');
/** Shrinking ends after this: the input is minimised byte by byte afterwards. */
const SHRINK_MS = 5_000;
const MINIMISE_MS = 5_000;

/** Tries so many inputs of a target, all told by the seed. `before` is called with each of them. */
export async function runTarget(
  target: Target,
  { seed, inputs, before = () => undefined }: { seed: number; inputs: number; before?: (input: HostileInput) => void },
): Promise<Run> {
  mkdirSync(results, { recursive: true });
  const folder = mkdtempSync(join(results, 'scratch-'));
  const done = { inputs: 0, rows: 0, rejects: 0 };
  const check = async (input: HostileInput): Promise<Tally> => {
    before(input);
    try {
      return await target.check(input, folder);
    } finally {
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
    }
  };
  try {
    const failedAt = { time: 0 };
    const property = fc.asyncProperty(target.inputs, async (input) => {
      // Not a failure: it only ends the search for a smaller one.
      if (failedAt.time > 0 && Date.now() - failedAt.time > SHRINK_MS) return;
      try {
        const { rows, rejects } = await check(input);
        if (failedAt.time > 0) return;
        done.inputs++;
        done.rows += rows;
        done.rejects += rejects;
      } catch (error) {
        failedAt.time ||= Date.now();
        throw error;
      }
    });
    const { failed, counterexample, errorInstance } = await fc.check(property, { seed, numRuns: inputs });
    if (!failed || !counterexample) return { ...done, crash: null };
    const smallest = await minimised(counterexample[0], errorInstance, check);
    return {
      ...done,
      crash: { seed, message: messageOf(errorInstance), file: saveInput(`${target.id}-${seed}`, smallest) },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Two failures are one defect when they come from one place. */
const placeOf = (error: unknown): string => {
  const { message = '', stack = '' } = error instanceof Error ? error : { message: String(error) };
  return /\n\s+at [^\n]*/.exec(stack)?.[0] ?? message;
};
/** The message, cut, and where in our own code it comes from. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const frames = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !line.includes('node_modules'));
  return [error.message.slice(0, 800), ...frames.slice(0, 4)].join('\n');
}

/** Leaves out ever smaller pieces as long as the same defect shows. */
async function minimised(
  input: HostileInput,
  error: unknown,
  check: (input: HostileInput) => Promise<unknown>,
): Promise<HostileInput> {
  const place = placeOf(error);
  const until = Date.now() + MINIMISE_MS;
  let smallest = input;
  for (let size = Math.ceil(input.bytes.length / 2); size >= 1 && Date.now() < until; size = Math.floor(size / 2))
    for (let at = 0; at < smallest.bytes.length && Date.now() < until; ) {
      const { bytes } = smallest;
      const smaller = { ...smallest, bytes: Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + size)]) };
      const same = await check(smaller).then(
        () => false,
        (other: unknown) => placeOf(other) === place,
      );
      if (same) smallest = smaller;
      else at += size;
    }
  return smallest;
}

/** Writes an input where people find it, with what it was made from beside it. */
export function saveInput(name: string, { bytes, ...about }: HostileInput): string {
  const file = join(results, name);
  writeFileSync(file, bytes);
  const { siblings, ...rest } = about;
  writeFileSync(`${file}.json`, `${JSON.stringify({ ...rest, beside: Object.keys(siblings) })}\n`);
  return file;
}
