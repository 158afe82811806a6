import type { CostGap, CostRange, LostPrice } from './cost-schema.ts';

export type {
  Cost,
  CostGap,
  CostLine,
  CostRange,
  LostPrice,
  RequestCost,
  Tokens,
  TraceCost,
  TraceServiceCost,
} from './cost-schema.ts';

const gapReasons: Readonly<Record<CostGap, string>> = {
  no_gpus: 'the GPUs that served it are not recorded',
  no_throughput: 'no throughput measured',
  no_requests: 'no request was served',
  no_rates: 'no GPU rates configured',
  no_rate_of_gpu: 'no rate for some of the GPUs',
};
export const costGapText = (gap: CostGap): string => gapReasons[gap];

/** `120 USD without a step and 30 USD to do again (H100: 12 USD/h, list price, 2024-06-01)`; the reason where the price is unknown. */
export function lostPriceText({ currency, idle, repeated, gap, gpu_types }: LostPrice): string {
  if (idle === null) return `unknown: ${gap === null ? 'no GPU is known' : costGapText(gap)}`;
  const again = repeated === null ? '' : ` and ${rangeText(repeated, currency)} to do again`;
  const prices = gpu_types.flatMap(({ model, rate }) => {
    if (!rate) return [];
    const dated = [`${model ?? 'GPUs'}: ${rangeText(rate, currency)}/h`, rate.source, rate.as_of];
    return dated.filter((text) => text !== '').join(', ');
  });
  return `${rangeText(idle, currency)} without a step${again} (${prices.join('; ')})`;
}

/** Two digits: what times of measurements and prices support. */
export const amount = (value: number): string => String(Number(value.toPrecision(2)));

/** `1.2 to 3.4 s`, `at most 3.4 s`, `unknown` */
export function rangeText(range: CostRange | null, unit: string): string {
  if (range === null) return 'unknown';
  const { low, high } = range;
  if (low === null) return `at most ${amount(high)} ${unit}`;
  return `${amount(low) === amount(high) ? amount(high) : `${amount(low)} to ${amount(high)}`} ${unit}`;
}

export function servingText({ gpus, shared_gpus }: { readonly gpus: number; readonly shared_gpus: number }): string {
  const all = gpus + shared_gpus;
  const words = `${all} GPU${all === 1 ? '' : 's'}`;
  return shared_gpus === 0 ? words : `${words}, ${shared_gpus === all ? 'all' : shared_gpus} shared with other work`;
}
