import { nanos } from '../../../model/time.ts';
import { showView } from '../../state/case-state.ts';
import { client } from '../../state/client.ts';
import { selectEntity, zoomTo } from '../../state/focus.ts';
import { useInfo } from '../../state/known.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { messages } from './messages.ts';

/** How much recorded time passes before live notices are requested again. */
const STEP_NS = 20_000_000_000n;
/** Window around the end of the recording, where the trend is. */
const SHOWN_NS = 1.2e12;

/** Metrics that head for their limit now, or did when the recording ended. */
export function NoticeList() {
  const last = useInfo()?.last_ns ?? null;
  const step = last === null ? null : last / STEP_NS;
  const { value } = useAnswer(['notices.list', step], (signal) => client().call('notices.list', {}, signal));
  if (!value || value.at_ns === null || value.notices.length === 0) return null;
  const at = nanos(value.at_ns);
  return (
    <section className="notices" aria-label={messages.notices.title}>
      <h2>{messages.notices.title}</h2>
      <ul>
        {value.notices.map((notice) => (
          <li key={`${notice.series_id}`}>
            <button
              type="button"
              title={messages.notices.show}
              onClick={() => {
                selectEntity(`${notice.entity_kind}:${notice.entity_id}`);
                zoomTo(at, SHOWN_NS);
                showView('timeline');
              }}
            >
              {notice.text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
