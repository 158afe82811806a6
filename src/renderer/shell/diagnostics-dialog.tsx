import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import { copyDiagnostics, hideDiagnostics, useDiagnostics } from '../state/diagnostics.ts';
import { messages } from './messages/window.ts';

/** Shows every character that *Copy diagnostics* would copy. */
export function DiagnosticsDialog() {
  const text = useDiagnostics((state) => state.text);
  return text === null ? null : <Dialog text={text} />;
}

function Dialog({ text }: { readonly text: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      className="rejects-dialog"
      aria-labelledby={title}
      data-testid="diagnostics"
      onKeyDown={(event: KeyboardEvent) => event.stopPropagation()}
      onClose={hideDiagnostics}
    >
      <h2 id={title}>{messages.diagnostics.title}</h2>
      <p>{messages.diagnostics.about}</p>
      <pre>{text}</pre>
      <div className="button-row">
        <button type="button" className="primary" onClick={() => void copyDiagnostics()}>
          {messages.diagnostics.copy}
        </button>
        <button type="button" onClick={hideDiagnostics}>
          {messages.diagnostics.close} <kbd>Esc</kbd>
        </button>
      </div>
    </dialog>
  );
}
