import { useEffect, useRef } from 'react';
import { showKeys } from '../state/case-state.ts';
import { keyHelp } from './keys.ts';

export function KeyList() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="key-list" aria-label="Keys" onClose={() => showKeys(false)}>
      <header>
        <h2>Keys</h2>
        <button type="button" className="plain" aria-label="Close" onClick={() => showKeys(false)}>
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
      <p className="muted">
        Mouse: wheel zooms about the cursor, Shift and wheel pans, Alt and wheel scrolls the lanes; drag pans; drag on
        the axis moves the playhead; double-click zooms in.
      </p>
    </dialog>
  );
}
