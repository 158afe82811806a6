import { useState } from 'react';
import { showDetails } from '../../state/case-state.ts';
import { exportReport } from '../../state/export-report.ts';
import { select } from '../../state/focus.ts';
import { copyText } from '../../state/toasts.ts';
import { Markdown } from '../../widgets/markdown.tsx';
import './report.css';

export function ReportPreview({ name, text }: { readonly name: string; readonly text: string }) {
  const [saving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    await exportReport();
    setSaving(false);
  };
  return (
    <div className="report">
      <div className="report-bar">
        <span className="mono ellipsis">{name}</span>
        <span className="spring" />
        <button type="button" onClick={() => void copyText(text, 'Report')}>
          Copy Markdown
        </button>
        <button
          type="button"
          className="primary"
          data-testid="export-report"
          disabled={saving}
          onClick={() => void save()}
        >
          Export
        </button>
      </div>
      <article className="report-page" data-testid="report-preview" aria-label="Report preview">
        <Markdown text={text} onAnchor={followAnchor} />
      </article>
    </div>
  );
}

const EVIDENCE_ID = /^(?:event|metric|measurement|span|log|entity|mechanism|case|source|annotation):.+$/;

/** A citation shows its record; any other link goes to its place in the report. */
function followAnchor(anchor: string): void {
  const ref = decodeURIComponent(anchor);
  if (!EVIDENCE_ID.test(ref)) {
    document.getElementById(anchor)?.scrollIntoView({ block: 'start' });
    return;
  }
  select(ref);
  showDetails();
}
