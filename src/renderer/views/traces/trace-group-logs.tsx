import { useMemo } from 'react';
import type { TraceGroup } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { afterText, extentOf, labelOf } from '../../draw/traces/trace-group-text.ts';
import { recordTarget } from '../../state/actions.ts';
import { showDetails } from '../../state/case-state.ts';
import { select, useFocus } from '../../state/focus.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { messages } from './messages.ts';

/** OTLP severity numbers. */
const words = [
  [21, 'fatal'],
  [17, 'error'],
  [13, 'warn'],
  [9, 'info'],
  [5, 'debug'],
  [1, 'trace'],
] as const;
const severityOf = (number: number): string => words.find(([least]) => number >= least)?.[1] ?? messages.unknown;

/** A record by its place in the columns of the trace. */
interface Log {
  readonly log: number;
}

/** Log records with the id of this trace or of a linked one. */
export function TraceGroupLogs({ traceGroup }: { readonly traceGroup: TraceGroup }) {
  const selected = useFocus((focus) => focus.selected);
  const rows = useMemo(() => traceGroup.log_refs.map((_, log) => ({ log })), [traceGroup]);
  const { from_ns, until_ns } = extentOf(traceGroup);
  const at = (log: number): number => traceGroup.log_ns[log]! - from_ns;
  const severity = (log: number): number => traceGroup.log_severity[log]!;
  const where = (log: number): string => {
    const span = traceGroup.log_span[log]!;
    return span < 0 ? messages.logs.noSpan : labelOf(traceGroup, span);
  };
  const columns: Column<Log>[] = [
    {
      id: 'time',
      title: messages.time,
      numeric: true,
      width: '96px',
      cell: ({ log }) => afterText(at(log), until_ns - from_ns),
      sort: ({ log }) => at(log),
    },
    {
      id: 'severity',
      title: messages.logs.severity,
      width: '72px',
      cell: ({ log }) => severityOf(severity(log)),
      sort: ({ log }) => severity(log),
    },
    {
      id: 'span',
      title: messages.span,
      width: '240px',
      cell: ({ log }) => where(log),
      sort: ({ log }) => where(log),
    },
    {
      id: 'body',
      title: messages.logs.text,
      width: 'minmax(200px, 1fr)',
      cell: ({ log }) => traceGroup.log_bodies[log],
    },
  ];
  const refOf = ({ log }: Log): string => traceGroup.log_refs[log]!;
  return (
    <div className="trace-detail-panel">
      <DataTable<Log>
        label={messages.logs.table}
        columns={columns}
        rows={rows}
        keyOf={refOf}
        selected={selected}
        actionsOf={(row) => recordTarget(traceGroup.log_bodies[row.log] ?? refOf(row), [refOf(row)])}
        onSelect={(row) => {
          select(refOf(row), nanos((traceGroup.origin_ns ?? 0n) + BigInt(Math.round(traceGroup.log_ns[row.log]!))));
          showDetails();
        }}
        empty={messages.logs.none}
      />
    </div>
  );
}
