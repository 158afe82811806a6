import { z } from 'zod';
import { fail } from '../../../model/problem.ts';
import { issueText, readYaml } from '../causality/yaml-issues.ts';

const money = z.number().nonnegative();
const rateSchema = z.object({
  /** Words of a model's name (`H100`, `A100 80GB`), or `*` for every GPU whose model no other line names. */
  gpu: z.string().min(1).max(200),
  /** Per GPU and hour: one price, or the lowest and the highest. */
  per_gpu_hour: z.union([
    money,
    z.tuple([money, money]).refine(([low, high]) => low <= high, 'the lower price is above the higher'),
  ]),
  /** `upper`: a list price; what was paid is known to be at most that. */
  bound: z.enum(['exact', 'upper']).default('exact'),
  /** When the price was looked up; '' where somebody states a price of today. */
  as_of: z.union([z.iso.date(), z.literal('')]).default(''),
  source: z.string().min(1).max(2000),
});
const fileSchema = z.object({
  version: z.literal(1),
  currency: z.string().regex(/^[A-Z]{3}$/, 'three capital letters, such as USD'),
  rates: z.array(rateSchema).max(1000),
});

/** What a GPU of one model costs an hour. */
export interface Rate {
  readonly low: number | null;
  readonly high: number;
  readonly as_of: string;
  readonly source: string;
}

export interface Rates {
  readonly currency: string;
  readonly lines: number;
  /** When the first and the last of its prices were looked up; '' where no line says. */
  readonly oldest: string;
  readonly newest: string;
  /** Whether a line is a list price, so that costs are at most what is told. */
  readonly isUpper: boolean;
  /** null: no line is about it, which is never filled with a guess. `model` null: only a line for every GPU holds. */
  of(model: string | null): Rate | null;
}

/** @throws ProblemError rates.invalid */
export function parseRates(yaml: string): Rates {
  const read = readYaml(yaml, fileSchema);
  if ('issues' in read) {
    const [first] = read.issues;
    const more = read.issues.length > 1 ? ` (and ${read.issues.length - 1} more)` : '';
    return fail('rates.invalid', `the rates are not valid: ${first ? issueText(first) : ''}${more}`, {
      hint: 'docs/rates.example.yaml shows the form',
    });
  }
  const { currency, rates } = read.data;
  // The line with the most words knows the model best.
  const lines = rates
    .map((rate) => ({ rate, words: tokensOf(rate.gpu) }))
    .sort((a, b) => b.words.length - a.words.length);
  const dates = rates.flatMap(({ as_of }) => (as_of === '' ? [] : [as_of])).sort();
  return {
    currency,
    lines: rates.length,
    oldest: dates[0] ?? '',
    newest: dates.at(-1) ?? '',
    isUpper: rates.some(({ bound }) => bound === 'upper'),
    of: (model) => {
      const own = new Set(tokensOf(model ?? ''));
      const found = lines.find(({ words }) => words.length > 0 && words.every((word) => own.has(word)));
      const line = found?.rate ?? rates.find(({ gpu }) => gpu === '*');
      return line ? toRate(line) : null;
    },
  };
}

/** `NVIDIA H100 80GB HBM3` holds `h100`, never `h1000`. */
const tokensOf = (name: string): string[] => name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function toRate({ per_gpu_hour, bound, as_of, source }: z.infer<typeof rateSchema>): Rate {
  const [low, high] = Array.isArray(per_gpu_hour) ? per_gpu_hour : [per_gpu_hour, per_gpu_hour];
  return { low: bound === 'upper' ? null : low, high, as_of, source };
}
