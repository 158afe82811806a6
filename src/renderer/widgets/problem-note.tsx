import { visibleText } from '../../base/visible-text.ts';
import { describeProblem, type LooseProblem } from '../client/problem-of.ts';
import { copyText } from '../state/toasts.ts';
import { messages } from './messages.ts';

export interface ProblemNoteProps {
  readonly problem: LooseProblem;
  /** The part that failed, as the start of a sentence. */
  readonly what?: string;
  readonly onRetry?: () => void;
  /** Label of the retry button. */
  readonly retry?: string;
}

/** A failure in place: the reason, what to do, and a retry. */
export function ProblemNote({ problem, what, onRetry, retry = messages.retry }: ProblemNoteProps) {
  return (
    <div className="problem" role="alert">
      <p>
        <span className="problem-mark" aria-hidden="true">
          ▲
        </span>
        <strong>{what ? `${what}: ` : ''}</strong>
        {visibleText(problem.message)}
      </p>
      {problem.hint ? (
        <p className={problem.hint.includes('\n') ? 'muted problem-place' : 'muted'}>{visibleText(problem.hint)}</p>
      ) : null}
      <div className="button-row">
        {onRetry ? (
          <button type="button" onClick={onRetry}>
            {retry}
          </button>
        ) : null}
        <button
          type="button"
          className="plain"
          onClick={() => void copyText(describeProblem(problem), messages.details)}
        >
          {messages.copyDetails}
        </button>
      </div>
    </div>
  );
}
