import { formatBytes, formatCount } from '../draw/text/format-value.ts';
import { cancelOpening } from '../state/case-lifecycle.ts';
import { useCase } from '../state/case-state.ts';
import { messages } from './messages/import.ts';

const doing = { checking: messages.opening.checking, loading: messages.opening.loading } as const;

/** Progress of opening a bundle while another case is on screen; Home shows its own. */
export function OpeningPanel() {
  const progress = useCase((state) => state.opening);
  const hasCase = useCase((state) => state.name !== null);
  if (!progress || !hasCase) return null;
  const { stage, done, total } = progress;
  const words =
    stage === 'checking'
      ? messages.opening.bytes(formatBytes(done), formatBytes(total))
      : messages.opening.rows(formatCount(done), formatCount(total));
  return (
    <section className="import-panel" aria-label={messages.opening.label} aria-live="polite" data-testid="opening">
      <header>
        <h2>{messages.opening.title}</h2>
        <button type="button" onClick={cancelOpening}>
          {messages.cancel}
        </button>
      </header>
      <progress aria-label={doing[stage]} value={done} max={Math.max(total, 1)} />
      <p className="muted">
        {doing[stage]}: {words}
      </p>
    </section>
  );
}
