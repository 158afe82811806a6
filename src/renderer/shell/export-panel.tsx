import { formatCount } from '../draw/text/format-value.ts';
import { cancelExport, useExport } from '../state/export-window.ts';
import { messages } from './messages/share.ts';

/** Progress of an export. */
export function ExportPanel() {
  const progress = useExport((state) => state.progress);
  if (!progress) return null;
  const { done, total } = progress;
  return (
    <section className="import-panel" aria-label={messages.export.label} aria-live="polite" data-testid="exporting">
      <header>
        <h2>{messages.export.title}</h2>
        <button type="button" onClick={cancelExport}>
          {messages.cancel}
        </button>
      </header>
      <progress aria-label={messages.export.rowsWritten} value={done} max={Math.max(total, 1)} />
      <p className="muted">{messages.export.progress(formatCount(done), formatCount(total))}</p>
    </section>
  );
}
