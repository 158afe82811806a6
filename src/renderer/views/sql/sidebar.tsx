import { useState } from 'react';
import type { Relation } from '../../../model/contract/index.ts';
import { annotationRef } from '../../../model/incident/annotation.ts';
import type { ActionTarget } from '../../state/action-menu.ts';
import { annotate } from '../../state/annotations.ts';
import { useAnnotationList } from '../../state/known.ts';
import { pinQuery, putSql, runSql, type SavedQuery, savedQueries, useSql } from '../../state/sql.ts';
import { copyText } from '../../state/toasts.ts';
import { actByKey, openAt } from '../../widgets/action-menu.tsx';
import { examples } from './examples.ts';
import { messages } from './messages.ts';

/** Saved queries, examples, and the tables of the case. */
export function Sidebar({ relations }: { readonly relations: readonly Relation[] }) {
  const list = useAnnotationList();
  const saved = savedQueries(list);
  return (
    <nav className="sql-sidebar" aria-label={messages.sidebar.label}>
      <h2>{messages.sidebar.saved}</h2>
      {saved.length === 0 ? <p className="muted">{messages.sidebar.noSaved}</p> : null}
      <ul>
        {saved.map((query) => (
          <SavedRow key={query.id} query={query} />
        ))}
      </ul>
      <h2>{messages.sidebar.examples}</h2>
      <ul>
        {examples.map(({ name, sql }) => (
          <li key={name}>
            <button type="button" className="plain ellipsis" title={sql} onClick={() => runText(sql)}>
              {name}
            </button>
          </li>
        ))}
      </ul>
      <h2>{messages.sidebar.tables}</h2>
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
        title={messages.sidebar.queryTitle(query.sql)}
        onClick={() => runText(query.sql, query.id)}
        onContextMenu={(event) => openAt(event, target)}
        onKeyDown={(event) => {
          if (!actByKey(event, target)) return;
          event.preventDefault();
          event.stopPropagation();
        }}
      >
        {query.text}
        {query.lane === null ? null : <span className="muted"> {messages.sidebar.lane}</span>}
      </button>
    </li>
  );
}

function savedTarget(query: SavedQuery): ActionTarget {
  const { id, text, sql, lane } = query;
  return {
    label: text,
    actions: [
      { id: 'run', title: messages.actions.run, keys: 'G', run: () => runText(sql, id) },
      {
        id: 'unpin',
        title: messages.actions.removeLane,
        keys: 'O',
        disabled: lane === null,
        run: () => void pinQuery(query, null),
      },
      { id: 'copy', title: messages.actions.copySql, keys: 'J', run: () => void copyText(sql, messages.title) },
      {
        id: 'id',
        title: messages.actions.copyId,
        keys: 'Y',
        run: () => void copyText(annotationRef(id), messages.evidenceId),
      },
      {
        id: 'remove',
        title: messages.actions.remove,
        keys: 'X',
        run: () => void annotate(messages.removed(text), { remove: [id] }),
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
        title={messages.sidebar.tableTitle(kind, name, columns.length)}
        onClick={() => setOpen(!isOpen)}
      >
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> <code>{name}</code>
        {kind === 'table' ? <span className="muted"> {messages.sidebar.stored}</span> : null}
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
            {kind === 'function' ? messages.sidebar.needsTraceId : messages.sidebar.firstRows}
          </button>
        </>
      ) : null}
    </li>
  );
}
