import type { KeyboardEvent } from 'react';
import { formatCount } from '../../draw/text/format-value.ts';
import { leastShares, type Waterfall } from './use-waterfall.ts';

const shareText = (share: number): string => (share === 0 ? 'all spans' : `spans from ${share * 100} %`);

/** What of the waterfall is shown, and ways through it. */
export function WaterfallTools({ waterfall }: { readonly waterfall: Waterfall }) {
  const { errors, goTo, places, compressed } = waterfall;
  const canCompress = places.idle.length > 0 || !compressed;
  return (
    <div className="story-tools">
      <SearchWithin waterfall={waterfall} />
      {errors > 0 ? (
        <button type="button" title="Next span that failed  N (before: P)" onClick={() => goTo('error', 1)}>
          <span className="story-failed" aria-hidden="true">
            ▲
          </span>{' '}
          Next of {formatCount(errors)} failed
        </button>
      ) : null}
      <select
        aria-label="Hide short spans"
        title="Spans that last less than this share of the time in which anything ran are hidden, unless they failed"
        value={waterfall.leastShare}
        onChange={(event) => waterfall.setLeastShare(Number(event.target.value))}
      >
        {leastShares.map((share) => (
          <option key={share} value={share}>
            {shareText(share)}
          </option>
        ))}
      </select>
      {canCompress ? (
        <button
          type="button"
          aria-pressed={compressed}
          title="Draws long times in which no span ran short and hatched, with how long they were"
          onClick={() => waterfall.setCompressed(!compressed)}
        >
          Short waits
        </button>
      ) : null}
      <button type="button" className="plain" title="Only roots" onClick={() => waterfall.foldAll(0)}>
        Fold
      </button>
      <button type="button" className="plain" title="Everything" onClick={() => waterfall.foldAll(null)}>
        Unfold
      </button>
    </div>
  );
}

function SearchWithin({ waterfall }: { readonly waterfall: Waterfall }) {
  const { search, setSearch, found, goTo } = waterfall;
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') goTo('match', event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape' && search !== '') setSearch('');
    else if (event.key === 'ArrowDown') document.querySelector<HTMLElement>('.waterfall-tree')?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <input
        data-story-search
        aria-label="Search within this trace"
        placeholder="/ service or span"
        title="Enter: next, Shift Enter: previous"
        value={search}
        spellCheck={false}
        onChange={(event) => setSearch(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span className="muted story-found" role="status">
        {search.trim() === '' ? '' : `${formatCount(found)} found`}
      </span>
    </>
  );
}
