import type { Difference } from '../../../model/contract/index.ts';
import {
  differencesMarkdown,
  formatDifferenceValue,
  formatEffect,
  formatRate,
  formatRatio,
  formatSide,
  formatSupport,
} from '../../draw/text/format-difference.ts';
import type { ActionTarget } from '../../state/action-menu.ts';
import { showDetails } from '../../state/case-state.ts';
import type { DifferenceRequest } from '../../state/difference-request.ts';
import { selectEntity } from '../../state/focus.ts';
import { copyText } from '../../state/toasts.ts';
import type { Column } from '../../widgets/data-table.tsx';
import { copyEvidence } from './examples-of.ts';

/** Both sides as bars on one scale: all of it for shares, the larger of the two for numbers. */
function Bars({ difference }: { readonly difference: Difference }) {
  const { region, baseline, measure } = difference;
  const most = measure === 'share' ? 1 : Math.max(Math.abs(region.value), Math.abs(baseline.value), Number.MIN_VALUE);
  const width = (value: number): string => `${Math.min(100, (100 * Math.abs(value)) / most)}%`;
  return (
    <span className="two-bars" aria-hidden="true">
      <span className="bar in-region" style={{ width: width(region.value) }} />
      <span className="bar in-baseline" style={{ width: width(baseline.value) }} />
    </span>
  );
}

/** The key first: it is what is long, and what tells attributes apart. */
function AttributeName({ attribute }: { readonly attribute: string }) {
  const [, whose, key] = /^(attribute|resource) (.+)$/.exec(attribute) ?? [];
  return (
    <span title={attribute}>
      {key ?? attribute} {whose === 'resource' ? <span className="muted">resource</span> : null}
    </span>
  );
}

/** The value, and how many other names the same rows have. */
function ValueName({ difference }: { readonly difference: Difference }) {
  const { value, measure, also } = difference;
  if (value === '') return <span className="muted">{measure === 'number' ? 'how large' : 'empty'}</span>;
  if (also.length === 0) return titled(formatDifferenceValue(difference));
  return (
    <span title={`${value}\nthe same rows: ${also.join(', ')}`}>
      {value} <span className="muted">= {also.join(', ')}</span>
    </span>
  );
}

const titled = (text: string) => <span title={text}>{text}</span>;

export const columns: readonly Column<Difference>[] = [
  {
    id: 'attribute',
    title: 'attribute',
    width: 'minmax(124px, 1.4fr)',
    cell: ({ attribute }) => <AttributeName attribute={attribute} />,
    sort: ({ attribute }) => attribute,
    sheet: { cell: ({ attribute }) => attribute },
  },
  {
    id: 'value',
    title: 'value',
    width: 'minmax(120px, 2fr)',
    cell: (row) => <ValueName difference={row} />,
    sort: ({ value }) => value,
    sheet: { cell: (row) => [formatDifferenceValue(row), ...row.also].join(' = ') },
  },
  {
    id: 'bars',
    title: 'compared',
    width: '84px',
    cell: (row) => <Bars difference={row} />,
    sheet: null,
  },
  {
    id: 'region',
    title: 'region',
    numeric: true,
    width: '64px',
    cell: (row) => titled(formatSide(row, row.region)),
    sort: ({ region }) => region.value,
  },
  {
    id: 'baseline',
    title: 'baseline',
    numeric: true,
    width: '64px',
    cell: (row) => titled(formatSide(row, row.baseline)),
    sort: ({ baseline }) => baseline.value,
  },
  {
    id: 'effect',
    title: 'effect',
    numeric: true,
    width: '64px',
    cell: (row) => (
      <span title={effectTitle(row)} className={row.effect > 0 ? 'more' : 'less'}>
        {formatEffect(row)}
      </span>
    ),
    sort: ({ effect }) => -Math.abs(effect),
  },
  {
    id: 'ratio',
    title: 'ratio',
    numeric: true,
    width: '56px',
    cell: formatRatio,
    sort: ({ ratio }) => -(ratio ?? Number.POSITIVE_INFINITY),
  },
  {
    id: 'support',
    title: 'in the region',
    numeric: true,
    width: '84px',
    cell: (row) => titled(formatSupport(row)),
    sort: ({ region }) => -region.groups,
  },
  { id: 'q', title: 'q', numeric: true, width: '44px', cell: ({ q }) => formatRate(q), sort: ({ q }) => q },
];

const effectTitle = ({ measure, effect, deviations, p }: Difference): string =>
  [
    measure === 'share'
      ? 'difference of the shares, in points'
      : "Cliff's delta: how much likelier the larger one is of the region",
    `${effect.toFixed(3)}, p ${p.toExponential(1)}`,
    ...(deviations === null ? [] : [`the median moved by ${deviations.toFixed(1)} robust deviations of the baseline`]),
  ].join('; ');

interface DifferenceContext {
  /** The question in one line. */
  readonly label: string;
  readonly open: () => void;
}

/** What can be done with a difference. */
export function targetOf(
  difference: Difference,
  request: DifferenceRequest,
  { label, open }: DifferenceContext,
): ActionTarget {
  const { entity, attribute, value } = difference;
  const json = JSON.stringify(difference, null, 2);
  return {
    label: `${attribute} ${value}`.trim(),
    actions: [
      { id: 'examples', title: 'Examples in the region', keys: 'Enter', run: open },
      {
        id: 'thing',
        title: 'Focus the thing: its rows, its record',
        keys: 'E',
        disabled: entity === null,
        run: () => {
          if (entity === null) return;
          selectEntity(entity);
          showDetails();
        },
      },
      { id: 'json', title: 'Copy as JSON', keys: 'J', run: () => void copyText(json, 'JSON') },
      {
        id: 'markdown',
        title: 'Copy as Markdown',
        keys: 'K',
        run: () => void copyText(differencesMarkdown([difference], label), 'Markdown'),
      },
      {
        id: 'id',
        title: 'Copy the evidence ids of its examples',
        keys: 'Y',
        run: () => void copyEvidence(request, difference),
      },
    ],
  };
}
