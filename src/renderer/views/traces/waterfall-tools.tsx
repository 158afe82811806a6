import type { KeyboardEvent } from 'react';
import { formatCount } from '../../draw/text/format-value.ts';
import { messages } from './messages.ts';
import { leastShares, type Waterfall } from './use-waterfall.ts';

const shareText = (share: number): string => (share === 0 ? messages.tools.all : messages.tools.from(share * 100));

/** Filters of the waterfall and ways to move in it. */
export function WaterfallTools({ waterfall }: { readonly waterfall: Waterfall }) {
  const { errors, goTo, places, compressed } = waterfall;
  const canCompress = places.idle.length > 0 || !compressed;
  return (
    <div className="trace-detail-tools">
      <SearchWithin waterfall={waterfall} />
      {errors > 0 ? (
        <button type="button" title={messages.tools.nextTitle} onClick={() => goTo('error', 1)}>
          <span className="waterfall-failed" aria-hidden="true">
            ▲
          </span>{' '}
          {messages.tools.next(formatCount(errors))}
        </button>
      ) : null}
      <select
        aria-label={messages.tools.hideShort}
        title={messages.tools.hideShortTitle}
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
          title={messages.tools.compressTitle}
          onClick={() => waterfall.setCompressed(!compressed)}
        >
          {messages.tools.compress}
        </button>
      ) : null}
      <button type="button" className="plain" title={messages.tools.foldTitle} onClick={() => waterfall.foldAll(0)}>
        {messages.tools.fold}
      </button>
      <button
        type="button"
        className="plain"
        title={messages.tools.unfoldTitle}
        onClick={() => waterfall.foldAll(null)}
      >
        {messages.tools.unfold}
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
        data-trace-search
        aria-label={messages.tools.search}
        placeholder={messages.tools.searchPlaceholder}
        title={messages.tools.searchTitle}
        value={search}
        spellCheck={false}
        onChange={(event) => setSearch(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span className="muted trace-detail-found" role="status">
        {search.trim() === '' || found === null ? '' : messages.tools.found(formatCount(found))}
      </span>
    </>
  );
}
