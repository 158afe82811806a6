import { addFeed, usePlan } from '../state/plan-draft.ts';

/** Kinds to choose from, with what each is for. */
export function KindList() {
  const kinds = usePlan((state) => state.kinds);
  return (
    <section className="connect-form" aria-label="Kinds of feeds">
      <h3>What is to be recorded?</h3>
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
