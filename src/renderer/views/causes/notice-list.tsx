import { nanos } from '../../../model/time.ts';
import { showView, useCase } from '../../state/case-state.ts';
import { client } from '../../state/client.ts';
import { selectEntity, zoomTo } from '../../state/focus.ts';
import { useAnswer } from '../../state/use-answer.ts';

/** Rows that come while something is recorded are looked at again this often. */
const STEP_NS = 20_000_000_000n;
/** Around the end of the recording, where the trend is. */
const SHOWN_NS = 1.2e12;

/** What was on its way to a limit when the recording ended, or is now; nothing where nothing is. */
export function NoticeList() {
  const revision = useCase((state) => state.revision);
  const step = useCase((state) => (state.info?.last_ns == null ? null : state.info.last_ns / STEP_NS));
  const { value } = useAnswer(`${revision} ${step}`, (signal) => client().call('notices.list', {}, signal));
  if (!value || value.at_ns === null || value.notices.length === 0) return null;
  const at = nanos(value.at_ns);
  return (
    <section className="notices" aria-label="Heading for a limit">
      <h2>Heading for a limit</h2>
      <ul>
        {value.notices.map((notice) => (
          <li key={`${notice.series_id}`}>
            <button
              type="button"
              title="Shows the thing in the timeline"
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
