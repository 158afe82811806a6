import { type KeyboardEvent, useEffect, useId, useRef } from 'react';
import { feedText, useLive } from '../state/live.ts';

/** What would end a capture asks first. */
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
      className="rejected-question"
      aria-labelledby={title}
      aria-describedby={text}
      data-testid="capture-question"
      onKeyDown={(event: KeyboardEvent) => event.stopPropagation()}
      onCancel={(event) => {
        event.preventDefault();
        answer(false);
      }}
    >
      <h2 id={title}>A capture is running</h2>
      <p id={text}>
        To {what} it has to end. What it recorded into {capture?.case ?? 'its case'} stays there (
        {feedText(capture?.feeds ?? [])}).
      </p>
      <div className="button-row">
        <button type="button" className="primary" onClick={() => answer(false)}>
          Keep recording <kbd>Esc</kbd>
        </button>
        <button type="button" onClick={() => answer(true)}>
          End it and {what}
        </button>
      </div>
    </dialog>
  );
}
