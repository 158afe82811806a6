import { useMemo } from 'react';
import type { LifeView } from '../../../model/contract/index.ts';
import { lifeStages } from '../../../model/incident/lifecycle.ts';
import { nanos } from '../../../model/time.ts';
import { formatDuration, type TimeFormat } from '../../draw/text/format-time.ts';
import { lengthOf, lifeMarkdown, longestWait, outcomeGlyph, outcomeText, waitText } from '../../draw/text/life-text.ts';
import type { ActionTarget } from '../../state/action-menu.ts';
import { recordTarget } from '../../state/actions.ts';
import { copyText } from '../../state/toasts.ts';
import { type CaseTimeFormat, formatInstant, instantWidth, useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { messages } from './messages.ts';

export interface LifeListProps {
  readonly lives: readonly LifeView[];
  readonly selected: string | null;
  readonly empty: string;
  readonly onSelect: (life: LifeView) => void;
}

export function LifeList({ lives, selected, empty, onSelect }: LifeListProps) {
  const format = useTimeFormat();
  const columns = useMemo(() => columnsOf(format), [format]);
  return (
    <div className="life-list">
      <DataTable<LifeView>
        label={messages.list.title}
        columns={columns}
        rows={lives}
        keyOf={({ ref }) => ref}
        selected={selected}
        onSelect={onSelect}
        actionsOf={(life) => lifeTarget(life, format)}
        empty={empty}
      />
    </div>
  );
}

function lifeTarget(life: LifeView, format: TimeFormat): ActionTarget {
  const { label, actions } = recordTarget(messages.list.onNode(life.trouble, life.node ?? messages.list.unnamedNode), [
    life.ref,
  ]);
  const copy = () => void copyText(lifeMarkdown(life, format), messages.markdown);
  return { label, actions: [{ id: 'life', title: messages.list.copy, keys: 'M', run: copy }, ...actions] };
}

/** The last stage that it reached. */
const reached = ({ steps }: LifeView): number => Math.max(...steps.map(({ stage }) => lifeStages.indexOf(stage)));

const columnsOf = (format: CaseTimeFormat): readonly Column<LifeView>[] => [
  {
    id: 'start',
    title: messages.list.start,
    width: instantWidth(format, 88),
    cell: ({ start_ns }) => formatInstant(nanos(start_ns), format, 0),
    sort: ({ start_ns }) => start_ns,
    instant: ({ start_ns }) => nanos(start_ns),
  },
  {
    id: 'node',
    title: messages.list.node,
    width: 'minmax(120px, 1fr)',
    cell: ({ node }) => node ?? <span className="muted">{messages.list.noNode}</span>,
    sort: ({ node }) => node ?? '',
  },
  {
    id: 'trouble',
    title: messages.list.fault,
    width: 'minmax(120px, 1fr)',
    cell: ({ trouble }) => trouble,
    sort: ({ trouble }) => trouble,
  },
  {
    id: 'stages',
    title: messages.list.stage,
    width: '88px',
    optional: true,
    cell: (life) => lifeStages[reached(life)] ?? '',
    sort: reached,
  },
  {
    id: 'length',
    title: messages.list.duration,
    numeric: true,
    width: '72px',
    cell: (life) => formatDuration(lengthOf(life)),
    sort: lengthOf,
    sheet: { name: messages.list.durationSeconds, cell: (life) => lengthOf(life) / 1e9 },
  },
  {
    id: 'wait',
    title: messages.list.longestWait,
    width: 'minmax(160px, 1fr)',
    optional: true,
    cell: (life) => {
      const wait = longestWait(life);
      return wait ? waitText(wait) : '';
    },
    sort: (life) => {
      const wait = longestWait(life);
      return wait ? lengthOf(wait) : 0;
    },
  },
  {
    id: 'outcome',
    title: messages.list.outcome,
    width: 'minmax(200px, 2fr)',
    cell: ({ outcome, why }) => (
      <span title={why}>
        <span className={`outcome ${outcome}`}>
          <span aria-hidden="true">{outcomeGlyph[outcome]}</span> {outcomeText(outcome)}
        </span>{' '}
        <span className="muted">{why}</span>
      </span>
    ),
    sort: ({ outcome }) => outcome,
  },
];
