import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { RejectsPrompt } from '../../model/contract/index.ts';
import { formatCount } from '../draw/text/format-value.ts';
import { useImport } from '../state/import-state.ts';
import { answerRejectsPrompt } from '../state/session.ts';

/** Most of a source could not be read: whether the little that could be stays is the investigator's word. */
export function RejectsDialog() {
  const prompt = useImport((state) => state.prompt);
  return prompt ? <Dialog key={prompt.question} prompt={prompt} /> : null;
}

function Dialog({ prompt }: { readonly prompt: RejectsPrompt }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const leaveOut = useRef<HTMLButtonElement>(null);
  const title = useId();
  const counts = useId();
  const [rest, setRest] = useState(false);
  useEffect(() => {
    dialog.current?.showModal();
    leaveOut.current?.focus();
  }, []);
  const { file, rows, rejects, reasons, remaining } = prompt;
  const answer = (keepRejected: boolean) => void answerRejectsPrompt(prompt, { keep: keepRejected, rest });
  const onKeyDown = (event: KeyboardEvent) => {
    // What waits behind must not move meanwhile.
    event.stopPropagation();
    if (event.key.toLowerCase() === 'k' && !event.ctrlKey && !event.metaKey && !event.altKey) answer(true);
  };
  return (
    <dialog
      ref={dialog}
      className="rejected-question"
      aria-labelledby={title}
      aria-describedby={counts}
      data-testid="rejected-question"
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        event.preventDefault();
        answer(false);
      }}
    >
      <h2 id={title}>Most of {file} could not be read</h2>
      <p id={counts}>
        {formatCount(rejects)} of {formatCount(rows + rejects)} records were rejected. {remnant(rows)}
      </p>
      <table>
        <caption className="muted">Most frequent reasons</caption>
        <tbody>
          {reasons.map(({ reason, count, excerpt }) => (
            <tr key={reason}>
              <td className="number">{formatCount(count)}</td>
              <td>
                {reason}
                {excerpt === '' ? null : (
                  <code className="muted ellipsis" title={excerpt}>
                    {excerpt}
                  </code>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {remaining > 0 ? (
        <label>
          <input type="checkbox" checked={rest} onChange={(event) => setRest(event.target.checked)} />
          Do the same for the rest of this import ({formatCount(remaining)} to come)
        </label>
      ) : null}
      <footer>
        <button type="button" onClick={() => answer(true)}>
          Keep <kbd>K</kbd>
        </button>
        <button type="button" ref={leaveOut} className="primary" onClick={() => answer(false)}>
          Leave out <kbd>Enter</kbd>
        </button>
      </footer>
    </dialog>
  );
}

function remnant(rows: number): string {
  if (rows === 0) return 'Nothing else is in it; keeping it shows its rejects.';
  return `Keeping it adds ${rows === 1 ? 'the 1 row that was' : `the ${formatCount(rows)} rows that were`} read, and shows the rejects.`;
}
