import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { RejectsPrompt } from '../../model/contract/index.ts';
import { formatCount } from '../draw/text/format-value.ts';
import { answerRejectsPrompt } from '../state/import-flow.ts';
import { useImport } from '../state/import-state.ts';
import { messages } from './messages/import.ts';

/** Asks whether to import a data source with mostly rejects. */
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
    // Keys must not reach the view behind the dialog.
    event.stopPropagation();
    if (event.key.toLowerCase() === 'k' && !event.ctrlKey && !event.metaKey && !event.altKey) answer(true);
  };
  return (
    <dialog
      ref={dialog}
      className="rejects-dialog"
      aria-labelledby={title}
      aria-describedby={counts}
      data-testid="rejects-dialog"
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        event.preventDefault();
        answer(false);
      }}
    >
      <h2 id={title}>{messages.rejects.title(file)}</h2>
      <p id={counts}>{messages.rejects.counts(formatCount(rejects), formatCount(rows + rejects), remnant(rows))}</p>
      <table>
        <caption className="muted">{messages.rejects.reasons}</caption>
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
          {messages.rejects.forAll(formatCount(remaining))}
        </label>
      ) : null}
      <footer>
        <button type="button" onClick={() => answer(true)}>
          {messages.rejects.import} <kbd>K</kbd>
        </button>
        <button type="button" ref={leaveOut} className="primary" onClick={() => answer(false)}>
          {messages.rejects.skip} <kbd>Enter</kbd>
        </button>
      </footer>
    </dialog>
  );
}

function remnant(rows: number): string {
  if (rows === 0) return messages.rejects.noRows;
  return messages.rejects.rows(rows, formatCount(rows));
}
