import type { MapDoubt } from '../../../model/topology.ts';
import { showDetails } from '../../state/case-state.ts';
import { select, selectEntity } from '../../state/focus.ts';
import { keyed } from '../../widgets/keyed.ts';
import { messages } from './messages.ts';

/** Contradictions between records and topology: a wrong link can blame the wrong device. */
export function Doubts({ doubts }: { readonly doubts: readonly MapDoubt[] }) {
  if (doubts.length === 0) return null;
  return (
    <details className="doubts">
      <summary>
        <span aria-hidden="true">▲</span> {messages.doubts(doubts.length)}
      </summary>
      <ul>
        {keyed(doubts).map(({ key, value: { entity, text, refs } }) => (
          <li key={key}>
            <button type="button" className="link" onClick={() => selectEntity(entity)}>
              {text}
            </button>
            {refs[0] ? (
              <button
                type="button"
                className="plain"
                onClick={() => {
                  select(refs[0] ?? null);
                  showDetails();
                }}
              >
                {messages.record}
              </button>
            ) : null}
          </li>
        ))}
      </ul>
    </details>
  );
}
