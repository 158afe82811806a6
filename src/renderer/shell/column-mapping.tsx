import { useState } from 'react';
import type { FoundItem, Output } from '../../model/contract/index.ts';
import type { ColumnMapping, TimeUnit } from '../../model/storage/source.ts';
import { choose, useImport } from '../state/import-state.ts';
import { useCall } from '../state/use-answer.ts';
import { ProblemNote } from '../widgets/problem-note.tsx';
import { messages } from './messages/import.ts';

type Table = Output<'import.columns'>;

interface ColumnMappingProps {
  readonly found: FoundItem;
  readonly format: string;
  readonly onClose: () => void;
}

/** Maps the columns of a table to fields, starting with the detected mapping. */
export function ColumnMappingForm({ found, format, onClose }: ColumnMappingProps) {
  const inspection = useImport((state) => state.inspection);
  const { value, problem } = useCall('import.columns', { inspection, item: found.item, format });
  return (
    <section className="column-mapping" aria-label={messages.columns.label(found.name)}>
      <header>
        <h2>{messages.columns.title(found.name)}</h2>
        <button type="button" onClick={onClose}>
          {messages.columns.done}
        </button>
      </header>
      {problem ? <ProblemNote problem={problem} what={found.name} /> : null}
      {value ? <Editor found={found} table={value} /> : null}
    </section>
  );
}

const tables = ['span', 'log', 'metric', 'event', 'edge'] as const;
const tableLabels: Readonly<Record<ColumnMapping['table'], string>> = {
  span: messages.columns.spans,
  log: messages.columns.logs,
  metric: messages.columns.metrics,
  event: messages.columns.events,
  edge: messages.columns.edges,
};

function Editor({ found, table }: { readonly found: FoundItem; readonly table: Table }) {
  const mapping = useImport((state) => state.choices[found.item]?.mapping ?? null);
  const [kind, setKind] = useState<ColumnMapping['table']>(mapping?.table ?? table.mapping?.table ?? 'event');
  const guess = table.mapping?.table === kind ? table.mapping.columns : {};
  const columns = mapping?.table === kind ? mapping.columns : guess;
  const set = (target: string, column: string, unit?: TimeUnit) => {
    const { [target]: _, ...others } = columns;
    const next = column === '' ? others : { ...others, [target]: { column, ...(unit ? { unit } : {}) } };
    choose(found.item, { mapping: { table: kind, columns: next } });
  };
  const targets = table.targets[kind] ?? [];
  return (
    <>
      <p>
        <label>
          {messages.columns.content}{' '}
          <select value={kind} onChange={(event) => setKind(event.target.value as ColumnMapping['table'])}>
            {tables.map((name) => (
              <option key={name} value={name}>
                {tableLabels[name]}
              </option>
            ))}
          </select>
        </label>{' '}
        <span className="muted">
          {table.mapping ? messages.columns.detected(tableLabels[table.mapping.table]) : messages.columns.notDetected}
          {messages.columns.oneIsEnough}
        </span>
      </p>
      <div className="mapping-grid">
        {targets.map(({ name, required }) => (
          <label key={name} className={required ? 'required' : ''}>
            <span>
              {name.replaceAll('_', ' ')}
              {required ? ' *' : ''}
            </span>
            <select
              aria-label={messages.columns.columnFor(name.replaceAll('_', ' '), required)}
              value={columns[name]?.column ?? ''}
              onChange={(event) => set(name, event.target.value, columns[name]?.unit)}
            >
              <option value="">{messages.columns.none}</option>
              {table.columns.map((column) => (
                <option key={column.name} value={column.name} title={column.type}>
                  {column.name}
                </option>
              ))}
            </select>
            {isTime(name) ? (
              <select
                aria-label={messages.columns.unitOf(name)}
                value={columns[name]?.unit ?? ''}
                disabled={columns[name] === undefined}
                onChange={(event) =>
                  set(name, columns[name]?.column ?? '', (event.target.value || undefined) as TimeUnit)
                }
              >
                <option value="">{messages.columns.autoUnit}</option>
                {(['ns', 'us', 'ms', 's'] as const).map((unit) => (
                  <option key={unit} value={unit}>
                    {unit}
                  </option>
                ))}
              </select>
            ) : null}
          </label>
        ))}
      </div>
    </>
  );
}

const isTime = (target: string): boolean => /time|start|end|duration|valid/.test(target);
