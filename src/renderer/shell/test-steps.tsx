import type { TestedFeed } from '../state/plan-draft.ts';
import { messages } from './messages/live.ts';

/** The steps of a connection test so far; undefined: it was not tested. */
export function TestSteps({ tested }: { readonly tested: TestedFeed | undefined }) {
  if (!tested) return null;
  return (
    <ol className="connect-checks" aria-label={messages.plan.steps} aria-live="polite">
      {tested.checks.map(({ step, passed, detail, hint }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever appended
        <li key={at} className={passed ? '' : 'connect-failed'}>
          <span className={passed ? 'connect-passed' : 'connect-wrong'}>
            <span aria-hidden="true">{passed ? '✓' : '▲'}</span> {step}{' '}
            {passed ? messages.plan.ok : messages.plan.failed}
          </span>
          <span>
            {detail}
            {hint === undefined ? null : <span className="muted"> {hint}</span>}
          </span>
        </li>
      ))}
      {tested.passed === null ? <li className="muted">{messages.plan.testing}</li> : null}
    </ol>
  );
}
