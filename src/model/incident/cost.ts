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
    const dated = [`${model ?? 'GPUs'}: ${priceText(rate, currency)}`, rate.source, rate.as_of];
    return dated.filter((text) => text !== '').join(', ');
  });
  return `${rangeText(idle, currency)} without a step${again} (${prices.join('; ')})`;
}

/** `at most 12.29 USD/h`: a price is as the catalog states it, not rounded. */
export const priceText = ({ low, high }: CostRange, currency: string): string =>
  `${low === null ? `at most ${high}` : low === high ? high : `${low} to ${high}`} ${currency}/h`;

/** `3.1 %`; never rounded to nothing. */
export const idleText = (share: number): string =>
  share > 0 && share < 0.001 ? '< 0.1 %' : `${(100 * share).toFixed(1)} %`;

/** Two digits: what times of measurements and prices support. */
export const amount = (value: number): string => String(Number(value.toPrecision(2)));

/** The same for a bound: rounded away from what it bounds, so that `at most` stays true. */
function bound(value: number, side: 'low' | 'high'): number {
  const near = Number(value.toPrecision(2));
  const isTrue = side === 'high' ? near >= value * (1 - 1e-9) : near <= value * (1 + 1e-9);
  if (isTrue || value === 0) return near;
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((side === 'high' ? near + step : near - step).toPrecision(2));
}

/** `1.2 to 3.4 s`, `at most 3.4 s`, `unknown` */
export function rangeText(range: CostRange | null, unit: string): string {
  if (range === null) return 'unknown';
  const { low, high } = range;
  if (low === null) return `at most ${bound(high, 'high')} ${unit}`;
  return `${amount(low) === amount(high) ? amount(high) : `${bound(low, 'low')} to ${bound(high, 'high')}`} ${unit}`;
}

export function servingText({ gpus, shared_gpus }: { readonly gpus: number; readonly shared_gpus: number }): string {
  const all = gpus + shared_gpus;
  const words = `${all} GPU${all === 1 ? '' : 's'}`;
  return shared_gpus === 0 ? words : `${words}, ${shared_gpus === all ? 'all' : shared_gpus} shared with other work`;
}
