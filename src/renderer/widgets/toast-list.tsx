import { visibleText } from '../../base/visible-text.ts';
import { dismiss, useToasts } from '../state/toasts.ts';
import { messages } from './messages.ts';
import { ProblemNote } from './problem-note.tsx';

export function ToastList() {
  const toasts = useToasts((state) => state.toasts);
  return (
    <ol className="toasts" aria-live="polite" aria-label={messages.notifications}>
      {toasts.map((toast) => (
        <li key={toast.id}>
          {toast.problem ? <ProblemNote problem={toast.problem} /> : <p>{visibleText(toast.text)}</p>}
          {toast.action ? (
            <button
              type="button"
              onClick={() => {
                dismiss(toast.id);
                toast.action?.run();
              }}
            >
              {toast.action.title}
            </button>
          ) : null}
          <button type="button" className="plain close" aria-label={messages.dismiss} onClick={() => dismiss(toast.id)}>
            ×
          </button>
        </li>
      ))}
    </ol>
  );
}
