import type { Difference } from '../../../model/contract/index.ts';
import { formatShare, formatSpread } from '../../draw/text/format-difference.ts';
import { formatValue } from '../../draw/text/format-value.ts';
import { sidePath, spreadBars } from '../../draw/text/spread-bars.ts';
import { messages } from './messages.ts';

const SMALL = { width: 128, height: 18 };
const LARGE = { width: 480, height: 96 };

/** Both sides of a difference on one scale: the region above, the baseline below. */
export function SpreadPair({ difference }: { readonly difference: Difference }) {
  return (
    <span title={spreadTitle(difference)}>
      <Pair difference={difference} room={SMALL} />
    </span>
  );
}

function Pair({ difference, room }: { readonly difference: Difference; readonly room: typeof SMALL }) {
  const bars = spreadBars(difference);
  const path = (side: 'region' | 'baseline', isMain: boolean) => sidePath(bars, side, isMain, room);
  return (
    <svg
      className="spread"
      viewBox={`0 0 ${room.width} ${room.height}`}
      preserveAspectRatio="none"
      style={{ height: room.height }}
      aria-hidden="true"
    >
      <path className="spread-middle" d={`M0 ${room.height / 2}h${room.width}`} />
      <path className="spread-region other" d={path('region', false)} />
      <path className="spread-baseline other" d={path('baseline', false)} />
      <path className="spread-region" d={path('region', true)} />
      <path className="spread-baseline" d={path('baseline', true)} />
    </svg>
  );
}

const spreadTitle = (difference: Difference): string => {
  const { spread, values } = difference;
  if (spread) return formatSpread(difference).join('\n');
  return values
    .map(({ value, region, baseline }) =>
      messages.spread.value(value || messages.emptyValue, formatShare(region), formatShare(baseline)),
    )
    .join('\n');
};

/** The same large, with its scale and figures. */
export function SpreadChart({ difference }: { readonly difference: Difference }) {
  const { spread, values, unit } = difference;
  if (spread) return <NumberChart difference={difference} spread={spread} unit={unit} />;
  if (values.length === 0) return null;
  return (
    <figure className="spread-chart" aria-label={messages.spread.label}>
      <table className="spread-values">
        <thead>
          <tr>
            <th scope="col">{messages.columns.value}</th>
            <th scope="col" className="number">
              {messages.columns.region}
            </th>
            <th scope="col" className="number">
              {messages.columns.baseline}
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {values.map(({ value, region, baseline }, at) => (
            <tr key={value} className={at === 0 ? 'main' : 'muted'}>
              <td className="ellipsis" title={value}>
                {value || messages.emptyValue}
              </td>
              <td className="number">{formatShare(region)}</td>
              <td className="number">{formatShare(baseline)}</td>
              <td>
                <span className="two-bars" aria-hidden="true">
                  <span className="bar in-region" style={{ width: `${100 * region}%` }} />
                  <span className="bar in-baseline" style={{ width: `${100 * baseline}%` }} />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

interface NumberChartProps {
  readonly difference: Difference;
  readonly spread: NonNullable<Difference['spread']>;
  readonly unit: string;
}

function NumberChart({ difference, spread, unit }: NumberChartProps) {
  const { from, to, is_log } = spread;
  const middle = is_log ? Math.sqrt(from * to) : (from + to) / 2;
  const [inRegion, inBaseline] = formatSpread(difference);
  return (
    <figure className="spread-chart" aria-label={messages.spread.label}>
      <figcaption>
        <i className="spread-key in-region" /> {inRegion}
      </figcaption>
      <Pair difference={difference} room={LARGE} />
      <div className="spread-axis muted number">
        <span>{formatValue(from, unit)}</span>
        <span>
          {formatValue(middle, unit)}
          {is_log ? messages.spread.log : ''}
        </span>
        <span>{formatValue(to, unit)}</span>
      </div>
      <figcaption>
        <i className="spread-key in-baseline" /> {inBaseline}
      </figcaption>
    </figure>
  );
}
