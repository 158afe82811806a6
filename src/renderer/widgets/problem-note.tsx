import { visibleText } from '../../base/visible-text.ts';
import { describeProblem, type LooseProblem } from '../client/problem-of.ts';
import { copyText } from '../state/toasts.ts';

export interface ProblemNoteProps {
  readonly problem: LooseProblem;
  /** What could not be shown, as the start of a sentence. */
  readonly what?: string;
  readonly onRetry?: () => void;
  /** What trying again is called here. */
  readonly retry?: string;
}

/** A failure, in the place of what failed: why, what to do, and a way on. */
export function ProblemNote({ problem, what, onRetry, retry = 'Try again' }: ProblemNoteProps) {
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
        <button type="button" className="plain" onClick={() => void copyText(describeProblem(problem), 'Details')}>
          Copy details
        </button>
      </div>
    </div>
  );
}
