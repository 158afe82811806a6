import { selectEntity } from '../state/focus.ts';
import { messages } from './messages.ts';

/** With more chips than this, the first is named and the others are counted: a heat map brush selects hundreds. */
const MOST_CHIPS = 3;

/** The entities of the current filter; a click on one removes it. */
export function EntityChips({ entities }: { readonly entities: readonly string[] }) {
  if (entities.length > MOST_CHIPS)
    return (
      <button
        type="button"
        className="chip"
        aria-label={messages.removeFilters(entities.length)}
        title={entities.join('\n')}
        onClick={() => selectEntity(null)}
      >
        <bdi>{entities[0]}</bdi> {messages.moreEntities(entities.length - 1)}
      </button>
    );
  return entities.map((entity) => (
    <button
      key={entity}
      type="button"
      className="chip"
      aria-label={messages.removeFilter(entity)}
      onClick={() => selectEntity(null)}
    >
      <bdi>{entity}</bdi> ×
    </button>
  ));
}
