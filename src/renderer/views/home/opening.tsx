import { formatBytes, formatCount } from '../../draw/text/format-value.ts';
import { useCase } from '../../state/case-state.ts';
import { cancelOpening } from '../../state/session.ts';
import { Markdown } from '../../widgets/markdown.tsx';
import { Progress } from '../../widgets/progress.tsx';

/** How far a bundle is, and the post-mortem that it brings, which is there long before its rows. */
export function Opening() {
  const opening = useCase((state) => state.opening);
  const preview = useCase((state) => state.preview);
  return (
    <>
      <div className="opening">
        <Progress label={openingText(opening)} {...(opening ? { done: opening.done, total: opening.total } : {})} />
        {opening ? (
          <button type="button" onClick={cancelOpening} data-testid="cancel-opening">
            Cancel
          </button>
        ) : null}
      </div>
      {preview ? (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
          tabIndex={0}
          className="bundle-preview"
          aria-label="The post-mortem as it was exported"
          data-testid="bundle-preview"
        >
          <p className="muted">
            {preview.case}: the post-mortem as it was exported,{' '}
            {preview.signed_by === null ? 'not signed' : `signed with the key ${preview.signed_by.slice(0, 16)}…`}. The
            rows behind it are still being read.
          </p>
          <Markdown text={preview.report} onAnchor={() => undefined} />
        </section>
      ) : null}
    </>
  );
}

function openingText(opening: ReturnType<typeof useCase.getState>['opening']): string {
  if (!opening) return 'Opening the case';
  const { stage, done, total } = opening;
  if (stage === 'checking') return `Comparing with its hashes: ${formatBytes(done)} of ${formatBytes(total)}`;
  return `Reading rows: ${formatCount(done)} of ${formatCount(total)}`;
}
