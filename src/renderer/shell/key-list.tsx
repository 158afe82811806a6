import { useEffect, useRef, useState } from 'react';
import { showKeys } from '../state/case-state.ts';
import { keysLike } from './key-help.ts';
import { messages } from './messages/keys.ts';

/** All keys on one page, by where they work; a search keeps those that it is about. */
export function KeyList() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [search, setSearch] = useState('');
  useEffect(() => dialog.current?.showModal(), []);
  const groups = keysLike(search);
  return (
    <dialog ref={dialog} className="key-list" aria-label={messages.title} onClose={() => showKeys(false)}>
      <header>
        <h2>{messages.title}</h2>
        <input
          type="search"
          aria-label={messages.search}
          placeholder={messages.search}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <button type="button" className="plain" aria-label={messages.close} onClick={() => showKeys(false)}>
          ×
        </button>
      </header>
      <div className="key-groups">
        {groups.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(({ keys: pressed, does }) => (
                <div key={`${pressed} ${does}`}>
                  <dt>
                    <kbd>{pressed}</kbd>
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        {groups.length === 0 ? <p className="muted">{messages.noKey(search)}</p> : null}
      </div>
      <p className="muted">{messages.mouse}</p>
    </dialog>
  );
}
