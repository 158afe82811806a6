import { useCase } from '../state/case-state.ts';
import { cancelOpening, useOpening } from '../state/session.ts';
import { Progress } from '../widgets/progress.tsx';

const doing = { checking: 'Comparing every byte with its hash', loading: 'Filling the case' } as const;

/** How far the opening of a bundle is, whatever is on screen meanwhile. */
export function OpeningPanel() {
  const progress = useOpening((state) => state.progress);
  const isOpening = useCase((state) => state.phase === 'opening');
  if (!progress || !isOpening) return null;
  const { stage, done, total } = progress;
  return (
    <section className="import-panel" aria-label="Opening a bundle" aria-live="polite" data-testid="opening">
      <header>
        <h2>Opening the bundle</h2>
        <button type="button" onClick={cancelOpening}>
          Cancel
        </button>
      </header>
      <Progress label={doing[stage]} done={done} total={total} />
    </section>
  );
}
