import { useMemo } from 'react';
import { severities } from '../../../model/entity.ts';
import type { FindingView } from '../../../model/incident/finding.ts';
import { nanos } from '../../../model/time.ts';
import { severityGlyph, verdictText } from '../../draw/text/finding-text.ts';
import { type CaseTimeFormat, formatInstant, instantWidth, useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { findingActions } from './finding-actions.ts';
import { messages } from './messages.ts';

export interface FindingListProps {
  readonly findings: readonly FindingView[];
  readonly selected: string | null;
  readonly onSelect: (finding: FindingView) => void;
}

export function FindingList({ findings, selected, onSelect }: FindingListProps) {
  const format = useTimeFormat();
  const columns = useMemo(() => columnsOf(format), [format]);
  return (
    <div className="finding-list">
      <DataTable<FindingView>
        label={messages.list.title}
        columns={columns}
        rows={findings}
        keyOf={({ id }) => id}
        selected={selected}
        onSelect={onSelect}
        actionsOf={(finding) => ({ label: finding.title, actions: findingActions(finding, format) })}
        empty={messages.list.none}
      />
    </div>
  );
}

const columnsOf = (format: CaseTimeFormat): readonly Column<FindingView>[] => [
  {
    id: 'severity',
    title: messages.list.severity,
    width: '84px',
    cell: ({ severity }) => (
      <span className={`finding-severity ${severity}`}>
        <span aria-hidden="true">{severityGlyph[severity]}</span> {severity}
      </span>
    ),
    sort: ({ severity }) => severities.indexOf(severity),
    sheet: { cell: ({ severity }) => severity },
  },
  {
    id: 'pattern',
    title: messages.list.pattern,
    width: 'minmax(150px, 1fr)',
    cell: ({ title }) => title,
    sort: ({ title }) => title,
  },
  {
    id: 'start',
    title: messages.list.start,
    width: instantWidth(format, 88),
    cell: ({ start_ns }) => formatInstant(nanos(start_ns), format, 0),
    sort: ({ start_ns }) => start_ns,
    instant: ({ start_ns }) => nanos(start_ns),
  },
  {
    id: 'headline',
    title: messages.list.finding,
    width: 'minmax(260px, 5fr)',
    cell: ({ headline }) => <span title={headline}>{headline}</span>,
    sheet: { cell: ({ headline }) => headline },
  },
  {
    id: 'verdict',
    title: messages.list.verdict,
    width: 'minmax(168px, 1fr)',
    cell: (finding) => <span className={`finding-verdict ${finding.verdict}`}>{verdictText(finding)}</span>,
    sort: ({ verdict }) => verdict,
    sheet: { cell: verdictText },
  },
];
