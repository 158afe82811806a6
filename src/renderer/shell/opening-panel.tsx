import { formatBytes, formatCount } from '../draw/text/format-value.ts';
import { useCase } from '../state/case-state.ts';
import { cancelOpening } from '../state/session.ts';

const doing = { checking: 'comparing every byte with its hash', loading: 'filling the case' } as const;

/** How far the opening of a bundle is while another case is on screen; Home tells of it by itself. */
export function OpeningPanel() {
  const progress = useCase((state) => state.opening);
  const hasCase = useCase((state) => state.info !== null);
  if (!progress || !hasCase) return null;
  const { stage, done, total } = progress;
  const words =
    stage === 'checking'
      ? `${formatBytes(done)} of ${formatBytes(total)}`
      : `${formatCount(done)} of ${formatCount(total)} rows`;
  return (
    <section className="import-panel" aria-label="Opening a bundle" aria-live="polite" data-testid="opening">
      <header>
        <h2>Opening the bundle</h2>
        <button type="button" onClick={cancelOpening}>
          Cancel
        </button>
      </header>
      <progress aria-label={doing[stage]} value={done} max={Math.max(total, 1)} />
      <p className="muted">
        {doing[stage]}: {words}
      </p>
    </section>
  );
}
