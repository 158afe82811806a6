import type { UntreatedView } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { recordTarget } from '../../state/actions.ts';
import { showDetails } from '../../state/case-state.ts';
import { select } from '../../state/focus.ts';
import { formatInstant, useTimeFormat } from '../../state/use-time-format.ts';
import { actByKey, openAt } from '../../widgets/action-menu.tsx';
import { messages } from './messages.ts';

export interface UntreatedProps {
  readonly untreated: readonly UntreatedView[];
  readonly count: number;
}

/** Faults without any reaction: the first question about a node without remediation is whether it was tried. */
export function Untreated({ untreated, count }: UntreatedProps) {
  const format = useTimeFormat();
  if (count === 0) return null;
  return (
    <section className="untreated" aria-label={messages.untreated.label}>
      <h2>
        {messages.untreated.label} <span className="muted">{formatCount(count)}</span>
      </h2>
      <ul>
        {untreated.map(({ ref, node, trouble, start_ns, count: times, message }) => (
          <li key={ref}>
            <button
              type="button"
              className="plain"
              title={message}
              onClick={() => {
                select(ref, nanos(start_ns));
                showDetails();
              }}
              onContextMenu={(event) => openAt(event, () => recordTarget(trouble, [ref]))}
              onKeyDown={(event) => {
                if (!actByKey(event, () => recordTarget(trouble, [ref]))) return;
                event.preventDefault();
                event.stopPropagation();
              }}
            >
              <span className="number">{formatInstant(nanos(start_ns), format, 0)}</span> <b>{node}</b>{' '}
              <span className="ellipsis">
                {trouble}
                {times > 1 ? ` × ${formatCount(times)}` : ''}
                {message === '' ? null : <span className="muted"> {message}</span>}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {count > untreated.length ? (
        <p className="muted">{messages.untreated.first(formatCount(untreated.length))}</p>
      ) : null}
    </section>
  );
}
