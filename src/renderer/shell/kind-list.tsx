import { addFeed, useFeedKinds } from '../state/plan-draft.ts';
import { messages } from './messages/live.ts';

/** Kinds of feeds with a description. */
export function KindList() {
  const { value: kinds = [] } = useFeedKinds();
  return (
    <section className="connect-form" aria-label={messages.connect.kinds}>
      <h3>{messages.connect.choose}</h3>
      <ul className="connect-kinds">
        {kinds.map(({ kind, title, about }) => (
          <li key={kind}>
            <button type="button" data-testid={`add-${kind}`} onClick={() => addFeed(kind)}>
              <b>{title}</b>
              <span className="muted">{about}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
