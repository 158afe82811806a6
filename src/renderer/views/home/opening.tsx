import { formatBytes, formatCount } from '../../draw/text/format-value.ts';
import { cancelOpening } from '../../state/case-lifecycle.ts';
import { useCase } from '../../state/case-state.ts';
import { Markdown } from '../../widgets/markdown.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { messages } from './messages.ts';

/** Progress of opening a bundle, with its post-mortem, which is available long before its rows. */
export function Opening() {
  const opening = useCase((state) => state.opening);
  const preview = useCase((state) => state.preview);
  return (
    <>
      <div className="opening">
        <Progress label={openingText(opening)} {...(opening ? { done: opening.done, total: opening.total } : {})} />
        {opening ? (
          <button type="button" onClick={cancelOpening} data-testid="cancel-opening">
            {messages.cancel}
          </button>
        ) : null}
      </div>
      {preview ? (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
          tabIndex={0}
          className="bundle-preview"
          aria-label={messages.preview.label}
          data-testid="bundle-preview"
        >
          <p className="muted">
            {messages.preview.about(preview.case, preview.signed_by === null ? null : preview.signed_by.slice(0, 16))}
          </p>
          <Markdown text={preview.report} onAnchor={() => undefined} />
        </section>
      ) : null}
    </>
  );
}

function openingText(opening: ReturnType<typeof useCase.getState>['opening']): string {
  if (!opening) return messages.opening.case;
  const { stage, done, total } = opening;
  if (stage === 'checking') return messages.opening.checking(formatBytes(done), formatBytes(total));
  return messages.opening.loading(formatCount(done), formatCount(total));
}
