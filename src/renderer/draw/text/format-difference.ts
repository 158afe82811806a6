import type { Difference, Differences } from '../../../model/contract/index.ts';
import { cellMarkdown } from './format-record.ts';
import { formatDuration } from './format-time.ts';
import { formatCount, formatNumber, formatValue } from './format-value.ts';

/** `23 %`, `0.4 %`: a small share never reads as zero. */
export function formatShare(share: number): string {
  if (share === 0) return 'none';
  const percent = share * 100;
  return percent < 0.1 ? '< 0.1 %' : `${formatNumber(Number(percent.toPrecision(percent >= 10 ? 3 : 2)))} %`;
}

/** The value of one side: a share, or a median with its unit. */
export const formatSide = ({ measure, unit }: Difference, side: Difference['region']): string =>
  measure === 'share' ? formatShare(side.value) : formatValue(side.value, unit);

/** `region: median 516 W, 80 % between 430 W and 531 W, of 72 samples`, and the same of the baseline; [] of a share. */
export function formatSpread(difference: Difference): readonly string[] {
  const { spread, unit, population, across } = difference;
  if (!spread) return [];
  return (['region', 'baseline'] as const).map((side) => {
    const { p10, p90 } = spread[side];
    const { rows, value } = difference[side];
    const counted = across === null && population === 'spans' ? `${formatCount(rows)} traces` : null;
    const of = counted ?? (across === null ? rowsOf(population, rows) : `${formatCount(rows)} ${across}s`);
    const between =
      p10 === p90
        ? `80 % at ${formatValue(p10, unit)}`
        : `80 % between ${formatValue(p10, unit)} and ${formatValue(p90, unit)}`;
    return `${side}: median ${formatValue(value, unit)}, ${between}, of ${of}`;
  });
}

/** `+42 pts`, `+0.61`: the signed effect on its scale. */
export function formatEffect({ effect, measure }: Difference): string {
  const sign = effect < 0 ? '\u2212' : '+';
  const size = Math.abs(effect);
  return measure === 'share'
    ? `${sign}${formatNumber(Number((100 * size).toPrecision(2)))} pts`
    : `${sign}${size.toFixed(2)}`;
}

/** `× 4.2`; `new` if the baseline has none. */
export function formatRatio({ ratio, measure, region }: Difference): string {
  if (ratio === null) return measure === 'share' && region.value > 0 ? 'new' : '';
  return ratio === 0 ? 'gone' : `× ${formatNumber(Number(ratio.toPrecision(2)))}`;
}

/** `q 0.003`, `q < 1e-6`. */
export const formatRate = (q: number): string => (q < 1e-6 ? '< 1e-6' : q < 0.001 ? q.toExponential(0) : q.toFixed(3));

/** `gpu: 30 at 71 °C (median), 120 others at 58 °C`: a comparison of entities shows both sides. */
export function formatDifferenceValue(difference: Difference): string {
  const { across, value, region, baseline } = difference;
  if (across === null) return value;
  const [own, others] = [region, baseline].map((side) => formatSide(difference, side));
  return `${value}: ${formatCount(region.rows)} at ${own} (median), ${formatCount(baseline.rows)} others at ${others}`;
}

/** `84 of 120 traces`: the support of the significance, marked if it is small. */
export const formatSupport = ({ population, measure, region, is_thin, across }: Difference): string => {
  if (across !== null) {
    const machines = `${formatCount(region.groups)} ${region.groups === 1 ? 'machine' : 'machines'}`;
    const onMachines = region.groups < region.rows ? ` on ${machines}` : '';
    return `${formatCount(region.rows)}${onMachines}${is_thin ? ', few' : ''}`;
  }
  const unit = population === 'spans' ? 'traces' : population === 'metrics' ? 'samples' : population;
  const counted = population === 'logs' ? 'lines' : unit;
  const count = population === 'spans' || measure === 'number' ? region.groups : region.rows;
  return `${formatCount(count)} ${counted}${is_thin ? ', few' : ''}`;
};

const rowLabels: Readonly<Record<Difference['population'], string>> = {
  spans: 'spans',
  logs: 'log lines',
  metrics: 'samples',
  events: 'events',
  entities: 'entities',
};
export const rowsOf = (population: Difference['population'], count: number): string =>
  `${formatCount(count)} ${rowLabels[population]}`;

/** Recorded share of the baseline and rows of a kind below which missing rows prove nothing. */
const ENOUGH_TIME = 0.5;
const ENOUGH_ROWS = 100;
/** These are rare anyway, so a small count does not mean a thin baseline. */
const rare: ReadonlySet<Difference['population']> = new Set(['events', 'entities']);

/**
 * Warning if the baseline has too few rows to show even a large difference; null: it has enough.
 * @param recorded when anything was recorded in this case
 */
export function thinBaseline(
  { baseline, compared }: Pick<Differences, 'baseline' | 'compared'>,
  recorded: { readonly startNs: bigint; readonly endNs: bigint },
): string | null {
  const texts: string[] = [];
  if (baseline) {
    const from = baseline.start_ns > recorded.startNs ? baseline.start_ns : recorded.startNs;
    const until = baseline.end_ns < recorded.endNs ? baseline.end_ns : recorded.endNs;
    const [held, requestedNs] = [Math.max(0, Number(until - from)), Number(baseline.end_ns - baseline.start_ns)];
    if (held < requestedNs * ENOUGH_TIME)
      texts.push(
        held === 0
          ? `nothing was recorded in its ${formatDuration(requestedNs)}`
          : `only ${formatDuration(held)} of its ${formatDuration(requestedNs)} were recorded`,
      );
  }
  const few = compared.filter(
    ({ population, region, baseline }) => !rare.has(population) && region > 0 && baseline < ENOUGH_ROWS,
  );
  if (few.length > 0) texts.push(`it has only ${few.map((one) => rowsOf(one.population, one.baseline)).join(', ')}`);
  return texts.length === 0
    ? null
    : `The baseline is thin: ${texts.join('; ')}. Other differences may exist but could not be tested.`;
}

/** The differences on screen as a Markdown table, with the baseline in the title. */
export const differencesMarkdown = (differences: readonly Difference[], title: string): string =>
  [
    `**${title}**`,
    '',
    '| attribute | value | region | baseline | effect | ratio | support | q |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...differences.map((one) => {
      const valueText = formatDifferenceValue(one);
      const value = one.also.length > 0 ? `${valueText} (same rows: ${one.also.join(', ')})` : valueText;
      const cells = [one.attribute, value, formatSide(one, one.region), formatSide(one, one.baseline)];
      const figures = [formatEffect(one), formatRatio(one), formatSupport(one), formatRate(one.q)];
      return `| ${[...cells, ...figures].map(cellMarkdown).join(' | ')} |`;
    }),
    '',
    'Effect: Cliff\u2019s delta; for shares, the difference in percentage points. q: Benjamini-Hochberg false-discovery rate over all tests.',
  ].join('\n');
