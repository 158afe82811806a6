import { useState } from 'react';
import type { FoundItem, Output } from '../../model/contract/index.ts';
import type { ColumnMapping, TimeUnit } from '../../model/storage/source.ts';
import { client } from '../state/client.ts';
import { choose, useImport } from '../state/import-state.ts';
import { useAnswer } from '../state/use-answer.ts';
import { ProblemNote } from '../widgets/problem-note.tsx';

type Table = Output<'import.columns'>;

interface ColumnMappingProps {
  readonly found: FoundItem;
  readonly format: string;
  readonly onClose: () => void;
}

/** Which column of a table is what: the guess to begin with, every line of it open to correction. */
export function ColumnMappingForm({ found, format, onClose }: ColumnMappingProps) {
  const inspection = useImport((state) => state.inspection);
  const { value, problem } = useAnswer(`${inspection} ${found.item} ${format}`, (signal) =>
    client().call('import.columns', { inspection, item: found.item, format }, signal),
  );
  return (
    <section className="column-mapping" aria-label={`columns of ${found.name}`}>
      <header>
        <h2>Columns of {found.name}</h2>
        <button type="button" onClick={onClose}>
          Done
        </button>
      </header>
      {problem ? <ProblemNote problem={problem} what={found.name} /> : null}
      {value ? <Editor found={found} table={value} /> : null}
    </section>
  );
}

const tables = ['span', 'log', 'metric', 'event', 'edge'] as const;
const tableLabels: Readonly<Record<ColumnMapping['table'], string>> = {
  span: 'spans of traces',
  log: 'log records',
  metric: 'samples of metrics',
  event: 'events on devices',
  edge: 'topology',
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
          This table holds{' '}
          <select value={kind} onChange={(event) => setKind(event.target.value as ColumnMapping['table'])}>
            {tables.map((name) => (
              <option key={name} value={name}>
                {tableLabels[name]}
              </option>
            ))}
          </select>
        </label>{' '}
        <span className="muted">
          {table.mapping
            ? `recognised as ${tableLabels[table.mapping.table]}`
            : 'not recognised: say which column is what'}
          , one of the marked fields that mean the same is enough
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
              aria-label={`column for ${name.replaceAll('_', ' ')}${required ? ', needed' : ''}`}
              value={columns[name]?.column ?? ''}
              onChange={(event) => set(name, event.target.value, columns[name]?.unit)}
            >
              <option value="">none</option>
              {table.columns.map((column) => (
                <option key={column.name} value={column.name} title={column.type}>
                  {column.name}
                </option>
              ))}
            </select>
            {isTime(name) ? (
              <select
                aria-label={`unit of ${name}`}
                value={columns[name]?.unit ?? ''}
                disabled={columns[name] === undefined}
                onChange={(event) =>
                  set(name, columns[name]?.column ?? '', (event.target.value || undefined) as TimeUnit)
                }
              >
                <option value="">unit: by itself</option>
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
