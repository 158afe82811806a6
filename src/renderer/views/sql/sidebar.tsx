import { useState } from 'react';
import type { Relation } from '../../../model/contract/index.ts';
import { annotationRef } from '../../../model/incident/annotation.ts';
import type { ActionTarget } from '../../state/action-menu.ts';
import { annotate, useAnnotations } from '../../state/annotations.ts';
import { pinQuery, putSql, runSql, type SavedQuery, savedQueries, useSql } from '../../state/sql.ts';
import { copyText } from '../../state/toasts.ts';
import { actByKey, openAt } from '../../widgets/action-menu.tsx';
import { examples } from './examples.ts';

/** What can be asked again, and what can be asked about. */
export function Sidebar({ relations }: { readonly relations: readonly Relation[] }) {
  const list = useAnnotations((state) => state.list);
  const saved = savedQueries(list);
  return (
    <nav className="sql-sidebar" aria-label="Queries and tables">
      <h2>Saved in this case</h2>
      {saved.length === 0 ? <p className="muted">None yet. A saved query travels with the case.</p> : null}
      <ul>
        {saved.map((query) => (
          <SavedRow key={query.id} query={query} />
        ))}
      </ul>
      <h2>Examples</h2>
      <ul>
        {examples.map(({ name, sql }) => (
          <li key={name}>
            <button type="button" className="plain ellipsis" title={sql} onClick={() => runText(sql)}>
              {name}
            </button>
          </li>
        ))}
      </ul>
      <h2>Tables</h2>
      <ul>
        {relations.map((relation) => (
          <RelationRow key={relation.name} relation={relation} />
        ))}
      </ul>
    </nav>
  );
}

function runText(sql: string, saved: string | null = null): void {
  putSql(sql, saved);
  void runSql();
}

function SavedRow({ query }: { readonly query: SavedQuery }) {
  const current = useSql((state) => state.saved);
  const target = () => savedTarget(query);
  return (
    <li>
      <button
        type="button"
        className="plain ellipsis"
        aria-current={current === query.id}
        title={`${query.sql}\nEnter runs it; . lists what can be done`}
        onClick={() => runText(query.sql, query.id)}
        onContextMenu={(event) => openAt(event, target)}
        onKeyDown={(event) => {
          if (!actByKey(event, target)) return;
          event.preventDefault();
          event.stopPropagation();
        }}
      >
        {query.text}
        {query.lane === null ? null : <span className="muted"> lane</span>}
      </button>
    </li>
  );
}

function savedTarget(query: SavedQuery): ActionTarget {
  const { id, text, sql, lane } = query;
  return {
    label: text,
    actions: [
      { id: 'run', title: 'Run it', keys: 'G', run: () => runText(sql, id) },
      {
        id: 'unpin',
        title: 'No longer a lane',
        keys: 'O',
        disabled: lane === null,
        run: () => void pinQuery(query, null),
      },
      { id: 'copy', title: 'Copy the SQL', keys: 'J', run: () => void copyText(sql, 'SQL') },
      { id: 'id', title: 'Copy evidence id', keys: 'Y', run: () => void copyText(annotationRef(id), 'Evidence id') },
      {
        id: 'remove',
        title: 'Remove from the case',
        keys: 'X',
        run: () => void annotate(`query ${text} removed`, { remove: [id] }),
      },
    ],
  };
}

function RelationRow({ relation: { name, kind, columns } }: { readonly relation: Relation }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <button
        type="button"
        className="plain ellipsis"
        aria-expanded={isOpen}
        title={`${kind} ${name}: ${columns.length} columns`}
        onClick={() => setOpen(!isOpen)}
      >
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> <code>{name}</code>
        {kind === 'table' ? <span className="muted"> stored</span> : null}
      </button>
      {isOpen ? (
        <>
          <ul className="sql-columns">
            {columns.map((column) => (
              <li key={column.name}>
                <code>{column.name}</code> <span className="muted">{column.type.toLowerCase()}</span>
              </li>
            ))}
          </ul>
          <button
            type="button"
            className="plain"
            onClick={() => runText(`select * from ${name.replace('…', '')} limit 100`)}
            disabled={kind === 'function'}
          >
            {kind === 'function' ? 'asks for the id of a trace' : 'its first 100 rows'}
          </button>
        </>
      ) : null}
    </li>
  );
}
