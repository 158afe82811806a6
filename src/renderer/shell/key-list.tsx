import { useEffect, useRef } from 'react';
import { showKeys } from '../state/case-state.ts';
import { keyHelp } from './keys.ts';
import { messages } from './messages/keys.ts';

export function KeyList() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="key-list" aria-label={messages.title} onClose={() => showKeys(false)}>
      <header>
        <h2>{messages.title}</h2>
        <button type="button" className="plain" aria-label={messages.close} onClick={() => showKeys(false)}>
          ×
        </button>
      </header>
      <dl>
        {keyHelp.map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className="muted">{messages.mouse}</p>
    </dialog>
  );
}
