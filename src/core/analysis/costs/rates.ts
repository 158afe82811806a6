import { z } from 'zod';
import { issueText, readYaml } from '../../../base/yaml-issues.ts';
import { fail } from '../../../model/problem.ts';

const money = z.number().nonnegative();
const rateSchema = z.object({
  /** Words of a model's name (`H100`, `A100 80GB`), or `*` for all other models. */
  gpu: z.string().min(1).max(200),
  /** Per GPU and hour: one price, or the lowest and the highest. */
  per_gpu_hour: z.union([
    money,
    z.tuple([money, money]).refine(([low, high]) => low <= high, 'the lower price is above the higher'),
  ]),
  /** `upper`: a list price, an upper bound of the paid price. */
  bound: z.enum(['exact', 'upper']).default('exact'),
  /** Date of the price; '' for a current price. */
  as_of: z.union([z.iso.date(), z.literal('')]).default(''),
  source: z.string().min(1).max(2000),
});
const fileSchema = z.object({
  version: z.literal(1),
  currency: z.string().regex(/^[A-Z]{3}$/, 'three capital letters, such as USD'),
  rates: z.array(rateSchema).max(1000),
});

/** Price of a GPU model per hour. */
export interface Rate {
  readonly low: number | null;
  readonly high: number;
  readonly as_of: string;
  readonly source: string;
}

export interface Rates {
  readonly currency: string;
  readonly lines: number;
  /** Dates of its oldest and newest price; '' if no line states one. */
  readonly oldest: string;
  readonly newest: string;
  /** Whether a line is a list price, so that costs are upper bounds. */
  readonly isUpper: boolean;
  /** null: no line matches; prices are never guessed. `model` null: only the line for all GPUs applies. */
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
  // The line with most words is the most specific.
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

/** `NVIDIA H100 80GB HBM3` contains `h100` but not `h1000`. */
const tokensOf = (name: string): string[] => name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function toRate({ per_gpu_hour, bound, as_of, source }: z.infer<typeof rateSchema>): Rate {
  const [low, high] = Array.isArray(per_gpu_hour) ? per_gpu_hour : [per_gpu_hour, per_gpu_hour];
  return { low: bound === 'upper' ? null : low, high, as_of, source };
}
