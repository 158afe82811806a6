import type { Difference, Output } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { recordTarget } from '../../state/actions.ts';
import { showDetails } from '../../state/case-state.ts';
import type { DifferenceRequest } from '../../state/difference-request.ts';
import { select, useFocus } from '../../state/focus.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { formatInstant, instantWidth, useTimeFormat } from '../../state/use-time-format.ts';
import { DataTable } from '../../widgets/data-table.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { examplesOf } from './examples-of.ts';
import { messages } from './messages.ts';
import { SpreadChart } from './spread-chart.tsx';

type Example = Output<'differences.examples'>[number];

interface ExamplesProps {
  readonly request: DifferenceRequest;
  readonly difference: Difference;
  readonly onClose: () => void;
}

/** Rows of the region with a difference; each opens its record and moves the playhead to it. */
export function Examples({ request, difference, onClose }: ExamplesProps) {
  const { region, baseline } = request;
  const { attribute, value } = difference;
  const selected = useFocus((focus) => focus.selected);
  const format = useTimeFormat();
  const {
    value: rows,
    problem,
    slow,
    retry,
  } = useAnswer(['differences.examples', difference.id, region, baseline], (signal) =>
    examplesOf(request, difference, signal),
  );
  return (
    <section className="difference-examples" aria-label={messages.examples.label(attribute, value)} aria-busy={slow}>
      <header>
        <h3 className="ellipsis">
          {attribute} {value}
        </h3>
        <span className="muted">{messages.examples.inRegion(slow)}</span>
        <span className="spring" />
        <button type="button" className="plain" onClick={onClose}>
          {messages.examples.close}
        </button>
      </header>
      <SpreadChart difference={difference} />
      {problem ? <ProblemNote problem={problem} what={messages.examples.what} onRetry={retry} /> : null}
      {rows ? (
        <DataTable<Example>
          label={messages.examples.title}
          columns={[
            {
              id: 'time',
              title: messages.examples.time,
              width: instantWidth(format, 96),
              cell: (row) => formatInstant(nanos(row.time_ns), format),
              instant: (row) => nanos(row.time_ns),
            },
            {
              id: 'title',
              title: messages.examples.record,
              width: 'minmax(200px, 3fr)',
              cell: (row) => <span title={row.title}>{row.title}</span>,
            },
            {
              id: 'ref',
              title: messages.examples.evidence,
              width: 'minmax(120px, 1fr)',
              cell: (row) => <code title={row.ref}>{row.ref}</code>,
            },
          ]}
          rows={rows}
          keyOf={({ ref }) => ref}
          selected={selected}
          onSelect={(row) => {
            select(row.ref, nanos(row.time_ns));
            showDetails();
          }}
          actionsOf={({ ref }) => recordTarget(ref, [ref])}
          empty={messages.examples.none}
        />
      ) : null}
    </section>
  );
}
