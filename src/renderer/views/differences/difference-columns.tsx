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
import { LikeButton, type Likes } from './likes.tsx';
import { messages } from './messages.ts';
import { SpreadPair } from './spread-chart.tsx';

/** The key first, because it distinguishes long attribute names. */
function AttributeName({ attribute }: { readonly attribute: string }) {
  const [, whose, key] = /^(attribute|resource) (.+)$/.exec(attribute) ?? [];
  return (
    <span title={attribute}>
      {key ?? attribute} {whose === 'resource' ? <span className="muted">{messages.resource}</span> : null}
    </span>
  );
}

/** The value, with other values that match exactly the same rows. */
function ValueName({ difference }: { readonly difference: Difference }) {
  const { value, measure, also } = difference;
  if (value === '') return <span className="muted">{measure === 'number' ? messages.size : messages.emptyValue}</span>;
  if (also.length === 0) return titled(formatDifferenceValue(difference));
  return (
    <span title={messages.sameRows(value, also.join(', '))}>
      {value} <span className="muted">= {also.join(', ')}</span>
    </span>
  );
}

const titled = (text: string) => <span title={text}>{text}</span>;

/** Columns of the table of differences. @param likes rows that stand for others, and what unfolds them */
export const columnsOf = (likes: Likes): readonly Column<Difference>[] => [
  {
    id: 'attribute',
    title: messages.columns.attribute,
    width: 'minmax(124px, 1.4fr)',
    cell: ({ attribute }) => <AttributeName attribute={attribute} />,
    sort: ({ attribute }) => attribute,
    sheet: { cell: ({ attribute }) => attribute },
  },
  {
    id: 'value',
    title: messages.columns.value,
    width: 'minmax(120px, 2fr)',
    cell: (row) => (
      <>
        <ValueName difference={row} /> <LikeButton difference={row} likes={likes} />
      </>
    ),
    sort: ({ value }) => value,
    sheet: { cell: (row) => [formatDifferenceValue(row), ...row.also].join(' = ') },
  },
  {
    id: 'bars',
    title: messages.columns.compared,
    width: '132px',
    cell: (row) => <SpreadPair difference={row} />,
    sheet: null,
  },
  {
    id: 'region',
    title: messages.columns.region,
    numeric: true,
    width: '64px',
    cell: (row) => titled(formatSide(row, row.region)),
    sort: ({ region }) => region.value,
  },
  {
    id: 'baseline',
    title: messages.columns.baseline,
    numeric: true,
    width: '64px',
    cell: (row) => titled(formatSide(row, row.baseline)),
    sort: ({ baseline }) => baseline.value,
  },
  {
    id: 'effect',
    title: messages.columns.effect,
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
    title: messages.columns.ratio,
    numeric: true,
    width: '56px',
    cell: formatRatio,
    sort: ({ ratio }) => -(ratio ?? Number.POSITIVE_INFINITY),
  },
  {
    id: 'support',
    title: messages.columns.support,
    numeric: true,
    width: '84px',
    optional: true,
    cell: (row) => titled(formatSupport(row)),
    sort: ({ region }) => -region.groups,
  },
  {
    id: 'q',
    title: messages.columns.q,
    numeric: true,
    width: '44px',
    cell: ({ q }) => formatRate(q),
    sort: ({ q }) => q,
  },
];

const effectTitle = ({ measure, effect, deviations, p }: Difference): string =>
  [
    measure === 'share' ? messages.shareEffect : messages.numberEffect,
    messages.statistics(effect.toFixed(3), p.toExponential(1)),
    ...(deviations === null ? [] : [messages.medianShift(deviations.toFixed(1))]),
  ].join('; ');

interface DifferenceContext {
  /** The request in one line. */
  readonly label: string;
  readonly open: () => void;
}

/** Actions of a difference. */
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
      { id: 'examples', title: messages.actions.examples, keys: 'Enter', run: open },
      {
        id: 'entity',
        title: messages.actions.focus,
        keys: 'E',
        disabled: entity === null,
        run: () => {
          if (entity === null) return;
          selectEntity(entity);
          showDetails();
        },
      },
      { id: 'json', title: messages.actions.copyJson, keys: 'J', run: () => void copyText(json, messages.json) },
      {
        id: 'markdown',
        title: messages.actions.copyMarkdown,
        keys: 'K',
        run: () => void copyText(differencesMarkdown([difference], label), messages.markdown),
      },
      {
        id: 'id',
        title: messages.actions.copyIds,
        keys: 'Y',
        run: () => void copyEvidence(request, difference),
      },
    ],
  };
}
