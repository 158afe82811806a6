import { useState } from 'react';
import type { Relation } from '../../../model/contract/index.ts';
import { prefer, usePreferences } from '../../state/preferences.ts';
import { runSql, useSql } from '../../state/sql.ts';
import { Splitter } from '../../widgets/splitter.tsx';
import { Editor } from './editor.tsx';
import { Results } from './results.tsx';
import { SaveForm } from './save-form.tsx';
import { Sidebar } from './sidebar.tsx';
import './sql.css';

/** The investigator's own questions: read-only, over this case and nothing else. */
export function Sql({ relations }: { readonly relations: readonly Relation[] }) {
  const height = usePreferences((state) => state.sqlHeight);
  const isRunning = useSql((state) => state.isRunning);
  const [isSaving, setSaving] = useState(false);
  return (
    <div className="sql">
      <Sidebar relations={relations} />
      <div className="sql-main">
        <div className="sql-bar">
          <button
            type="button"
            className="primary"
            title="Ctrl Enter"
            disabled={isRunning}
            onClick={() => void runSql()}
          >
            Run
          </button>
          {isSaving ? (
            <SaveForm onDone={() => setSaving(false)} />
          ) : (
            <button type="button" onClick={() => setSaving(true)}>
              Save, or draw as a lane…
            </button>
          )}
          <span className="spring" />
          {isSaving ? null : <span className="muted">read-only; sees this case, no files, no network</span>}
        </div>
        <div className="sql-pane" style={{ height }}>
          <Editor relations={relations} />
          <Splitter
            label="Height of the editor"
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
