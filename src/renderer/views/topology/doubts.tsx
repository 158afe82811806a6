import type { MapDoubt } from '../../../model/topology.ts';
import { showDetails } from '../../state/case-state.ts';
import { select, selectEntity } from '../../state/focus.ts';
import { keyed } from '../../widgets/keyed.ts';

/** Where the records contradict the map: a wrong map accuses the wrong device. */
export function Doubts({ doubts }: { readonly doubts: readonly MapDoubt[] }) {
  if (doubts.length === 0) return null;
  return (
    <details className="doubts">
      <summary>
        <span aria-hidden="true">▲</span> The records contradict this map in {doubts.length}{' '}
        {doubts.length === 1 ? 'place' : 'places'}
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
                record
              </button>
            ) : null}
          </li>
        ))}
      </ul>
    </details>
  );
}
