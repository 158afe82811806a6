import { selectEntity } from '../state/focus.ts';

/** Of more, the first is named and the others are counted: a brush over a heat map takes hundreds. */
const MOST_CHIPS = 3;

/** The things that what stands below is narrowed to; a click on one widens it again. */
export function EntityChips({ entities }: { readonly entities: readonly string[] }) {
  if (entities.length > MOST_CHIPS)
    return (
      <button
        type="button"
        className="chip"
        aria-label={`Stop filtering by ${entities.length} things`}
        title={entities.join('\n')}
        onClick={() => selectEntity(null)}
      >
        <bdi>{entities[0]}</bdi> and {entities.length - 1} more ×
      </button>
    );
  return entities.map((entity) => (
    <button
      key={entity}
      type="button"
      className="chip"
      aria-label={`Stop filtering by ${entity}`}
      onClick={() => selectEntity(null)}
    >
      <bdi>{entity}</bdi> ×
    </button>
  ));
}
