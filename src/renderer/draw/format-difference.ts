import type { Difference } from '../../model/contract/index.ts';
import { cellMarkdown } from './format-record.ts';
import { formatCount, formatNumber, formatValue } from './format-value.ts';

/** `23 %`, `0.4 %`: a share never reads as none where it is some. */
export function formatShare(share: number): string {
  if (share === 0) return 'none';
  const percent = share * 100;
  return percent < 0.1 ? '< 0.1 %' : `${formatNumber(Number(percent.toPrecision(percent >= 10 ? 3 : 2)))} %`;
}

/** A side of a difference: a share, or a median with its unit. */
export const formatSide = ({ measure, unit }: Difference, side: Difference['region']): string =>
  measure === 'share' ? formatShare(side.value) : formatValue(side.value, unit);

/** `+42 points`, `+0.61`: the effect on its scale, signed. */
export function formatEffect({ effect, measure }: Difference): string {
  const sign = effect < 0 ? '\u2212' : '+';
  const size = Math.abs(effect);
  return measure === 'share'
    ? `${sign}${formatNumber(Number((100 * size).toPrecision(2)))} pts`
    : `${sign}${size.toFixed(2)}`;
}

/** `x 4.2`; `new` where the baseline had none. */
export function formatRatio({ ratio, measure, region }: Difference): string {
  if (ratio === null) return measure === 'share' && region.value > 0 ? 'new' : '';
  return ratio === 0 ? 'gone' : `× ${formatNumber(Number(ratio.toPrecision(2)))}`;
}

/** `q 0.003`, `q < 1e-6`. */
export const formatRate = (q: number): string => (q < 1e-6 ? '< 1e-6' : q < 0.001 ? q.toExponential(0) : q.toFixed(3));

/** `84 of 120 traces`: what significance counts, thin support said. */
export const formatSupport = ({ population, measure, region, is_thin }: Difference): string => {
  const unit = population === 'spans' ? 'traces' : population === 'metrics' ? 'samples' : population;
  const counted = population === 'logs' ? 'lines' : unit;
  const count = population === 'spans' || measure === 'number' ? region.groups : region.rows;
  return `${formatCount(count)} ${counted}${is_thin ? ', few' : ''}`;
};

/** What is shown of differences, as a table to paste, with what it was held against. */
export const differencesMarkdown = (differences: readonly Difference[], title: string): string =>
  [
    `**${title}**`,
    '',
    '| attribute | value | region | baseline | effect | ratio | support | q |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...differences.map((one) => {
      const value = one.also.length > 0 ? `${one.value} (same rows: ${one.also.join(', ')})` : one.value;
      const cells = [one.attribute, value, formatSide(one, one.region), formatSide(one, one.baseline)];
      const figures = [formatEffect(one), formatRatio(one), formatSupport(one), formatRate(one.q)];
      return `| ${[...cells, ...figures].map(cellMarkdown).join(' | ')} |`;
    }),
    '',
    'Effect: Cliff\u2019s delta, of shares their difference in points. q: Benjamini-Hochberg false-discovery rate over everything that was tested.',
  ].join('\n');
