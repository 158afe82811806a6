import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import { feedText, useLive } from '../state/live.ts';
import { messages } from './messages/live.ts';

/** Confirms an action that would end a capture. */
export function CaptureEndsDialog() {
  const prompt = useLive((state) => state.prompt);
  return prompt ? <Dialog what={prompt.what} answer={prompt.answer} /> : null;
}

function Dialog({ what, answer }: { readonly what: string; readonly answer: (ends: boolean) => void }) {
  const capture = useLive((state) => state.capture);
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const text = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      className="rejects-dialog"
      aria-labelledby={title}
      aria-describedby={text}
      data-testid="capture-ends-dialog"
      onKeyDown={(event: KeyboardEvent) => event.stopPropagation()}
      onCancel={(event) => {
        event.preventDefault();
        answer(false);
      }}
    >
      <h2 id={title}>{messages.captureEnds.title}</h2>
      <p id={text}>
        {messages.captureEnds.text(what, capture?.case ?? messages.captureEnds.itsCase, feedText(capture?.feeds ?? []))}
      </p>
      <div className="button-row">
        <button type="button" className="primary" onClick={() => answer(false)}>
          {messages.captureEnds.continue} <kbd>Esc</kbd>
        </button>
        <button type="button" onClick={() => answer(true)}>
          {messages.captureEnds.end(what)}
        </button>
      </div>
    </dialog>
  );
}
