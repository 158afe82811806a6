import { formatCount } from '../draw/text/format-value.ts';
import { cancelExport, useExport } from '../state/export-window.ts';

/** How far an export is, for as long as it takes. */
export function ExportPanel() {
  const progress = useExport((state) => state.progress);
  if (!progress) return null;
  const { done, total } = progress;
  return (
    <section className="import-panel" aria-label="Export" aria-live="polite" data-testid="exporting">
      <header>
        <h2>Exporting the window</h2>
        <button type="button" onClick={cancelExport}>
          Cancel
        </button>
      </header>
      <progress aria-label="Rows written" value={done} max={Math.max(total, 1)} />
      <p className="muted">
        {formatCount(done)} of {formatCount(total)} rows
      </p>
    </section>
  );
}
