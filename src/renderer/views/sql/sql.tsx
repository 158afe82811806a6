import { useState } from 'react';
import type { Relation } from '../../../model/contract/index.ts';
import { prefer, usePreferences } from '../../state/preferences.ts';
import { runSql, useSqlAnswer } from '../../state/sql.ts';
import { Splitter } from '../../widgets/splitter.tsx';
import { Editor } from './editor.tsx';
import { messages } from './messages.ts';
import { Results } from './results.tsx';
import { SaveForm } from './save-form.tsx';
import { Sidebar } from './sidebar.tsx';
import './sql.css';

/** Read-only queries by the investigator, on this case only. */
export function Sql({ relations }: { readonly relations: readonly Relation[] }) {
  const height = usePreferences((state) => state.sqlHeight);
  const { isLoading: isRunning } = useSqlAnswer();
  const [isSaving, setSaving] = useState(false);
  return (
    <div className="sql">
      <Sidebar relations={relations} />
      <div className="sql-main">
        <div className="sql-bar">
          <button
            type="button"
            className="primary"
            title={messages.runTitle}
            disabled={isRunning}
            onClick={() => void runSql()}
          >
            {messages.run}
          </button>
          {isSaving ? (
            <SaveForm onDone={() => setSaving(false)} />
          ) : (
            <button type="button" onClick={() => setSaving(true)}>
              {messages.save.open}
            </button>
          )}
          <span className="spring" />
          {isSaving ? null : <span className="muted">{messages.readOnly}</span>}
        </div>
        <div className="sql-pane" style={{ height }}>
          <Editor relations={relations} />
          <Splitter
            label={messages.editorHeight}
            orientation="horizontal"
            value={height}
            min={80}
            max={640}
            onChange={(sqlHeight) => prefer({ sqlHeight })}
          />
        </div>
        <Results />
      </div>
    </div>
  );
}
