import { useState } from 'react';
import { problemOf } from '../../client/problem-of.ts';
import { showDetails } from '../../state/case-state.ts';
import { client } from '../../state/client.ts';
import { select } from '../../state/focus.ts';
import { complain, copyText, notify } from '../../state/toasts.ts';
import { Markdown } from '../../widgets/markdown.tsx';
import './report.css';

export function ReportPreview({ name, text }: { readonly name: string; readonly text: string }) {
  const [saving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    try {
      await saveText(name, text);
    } catch (error) {
      complain(problemOf(error));
    } finally {
      setSaving(false);
    }
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

const EVIDENCE_ID = /^(?:event|metric|measurement|span|log|entity|mechanism|case|source):.+$/;

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

async function saveText(name: string, text: string): Promise<void> {
  const { saved } = await client().call('files.save', { suggested_name: name, text });
  if (saved !== null) return notify(`Report saved as ${saved}`);
  const address = URL.createObjectURL(new Blob([text], { type: 'text/markdown' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  notify(`${name} handed to the browser's downloads`);
}
