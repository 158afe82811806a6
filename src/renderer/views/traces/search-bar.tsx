import { type FormEvent, useId, useMemo } from 'react';
import type { Problem } from '../../../model/problem.ts';
import { ProblemError } from '../../../model/problem.ts';
import { parseSearch } from '../../../model/traceql/parse-search.ts';
import { offsetOf } from '../../../model/traceql/problem.ts';
import { cannedSearches } from '../../state/canned-searches.ts';
import { queryOf, setTraces, useTraces } from '../../state/traces.ts';
import { Menu } from '../../widgets/menu.tsx';
import { messages } from './messages.ts';
import { SearchField } from './search-field.tsx';

/** The error of a query, found locally; null: it can be run. */
function problemWith(text: string): Problem | null {
  try {
    parseSearch(queryOf(text));
    return null;
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
}

interface SearchBarProps {
  /** Error of the last search: some patterns are only checked when the search runs. */
  readonly refused: Problem | undefined;
}

export function SearchBar({ refused }: SearchBarProps) {
  const { text, query, order, everywhere } = useTraces();
  const typed = useMemo(() => problemWith(text), [text]);
  const problem = typed ?? (queryOf(text) === query && refused && offsetOf(refused) !== null ? refused : null);
  const messageId = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!typed) setTraces({ query: queryOf(text), tab: 'list' });
  };
  const search = (canned: string) => setTraces({ text: canned, query: canned, tab: 'list' });
  return (
    <search className="trace-search">
      <form className="trace-search-row" onSubmit={submit}>
        <Menu
          label={messages.search.canned}
          items={cannedSearches.map(({ id, title, query: canned }) => ({ id, title, run: () => search(canned) }))}
        >
          {messages.search.cannedButton}
        </Menu>
        <SearchField text={text} isInvalid={problem !== null} describedBy={messageId} />
        <button type="submit" className="primary" disabled={typed !== null}>
          {messages.search.search}
        </button>
        <select
          aria-label={messages.search.order}
          value={order}
          onChange={(event) => setTraces({ order: event.target.value as typeof order })}
        >
          <option value="slowest">{messages.search.slowest}</option>
          <option value="earliest">{messages.search.earliest}</option>
          <option value="most_matched">{messages.search.mostMatched}</option>
        </select>
        <label className="trace-everywhere" title={messages.search.everywhereTitle}>
          <input
            type="checkbox"
            checked={everywhere}
            onChange={(event) => setTraces({ everywhere: event.target.checked })}
          />
          {messages.search.everywhere}
        </label>
      </form>
      <div id={messageId} role="status" className="trace-wrong">
        {problem ? <Wrong text={text} problem={problem} /> : null}
      </div>
    </search>
  );
}

const SHOWN = 60;

/** The query with the wrong character underlined. */
function Wrong({ text, problem }: { readonly text: string; readonly problem: Problem }) {
  const at = Math.min(offsetOf(problem) ?? 0, text.length);
  const from = Math.max(0, at - SHOWN);
  const length = Math.max(1, /^[\w.:]+/.exec(text.slice(at))?.[0].length ?? 1);
  return (
    <>
      <code className="trace-wrong-text" aria-hidden="true">
        {from > 0 ? '…' : ''}
        {text.slice(from, at)}
        <u>{text.slice(at, at + length) || '\u00a0'}</u>
        {text.slice(at + length, at + length + SHOWN)}
      </code>
      <span>
        {problem.message}
        {problem.hint ? <span className="muted"> {problem.hint}</span> : null}
      </span>
    </>
  );
}
