import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { ProblemError } from '../src/model/problem.ts';
import { mutated, mutations, vocabularyOf } from './mutations.ts';
import type { Target } from './target.ts';

/** A language that people write: mutated samples of it are read, or refused as an expected failure. */
export function textTarget(id: string, samples: readonly string[], read: (text: string) => unknown): Target {
  const seeds = samples.map((sample) => Buffer.from(sample));
  return {
    id,
    inputs: fc
      .record({ seed: fc.constantFrom(...seeds), changes: mutations(vocabularyOf(seeds)) })
      .map(({ seed, changes }) => ({ origin: id, path: id, bytes: mutated(seed, changes), siblings: {}, piece: 1 })),
    check: async ({ bytes }) => {
      try {
        await read(Buffer.from(bytes).toString());
        return { rows: 1, rejects: 0 };
      } catch (error) {
        if (error instanceof ProblemError) return { rows: 0, rejects: 1 };
        throw error;
      }
    },
  };
}

/** The `yaml` blocks of a page of our documentation. */
export const yamlOf = (page: string): string[] =>
  [...readFileSync(new URL(`../docs/${page}`, import.meta.url), 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)].map(
    ([, text]) => text!,
  );

/** Examples of a page, within backticks. */
export const quotedOf = (page: string, is: RegExp): string[] =>
  [...readFileSync(new URL(`../docs/${page}`, import.meta.url), 'utf8').matchAll(/`([^`\n]+)`/g)]
    .map(([, text]) => text!)
    .filter((text) => is.test(text));
