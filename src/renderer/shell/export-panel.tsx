import { cancelExport, useExport } from '../state/export-window.ts';
import { Progress } from '../widgets/progress.tsx';

/** How far an export is, for as long as it takes. */
export function ExportPanel() {
  const progress = useExport((state) => state.progress);
  if (!progress) return null;
  return (
    <section className="import-panel" aria-label="Export" aria-live="polite">
      <header>
        <h2>Exporting</h2>
        <button type="button" onClick={cancelExport}>
          Cancel
        </button>
      </header>
      <Progress label="Writing the window" done={progress.done} total={progress.total} />
    </section>
  );
}
