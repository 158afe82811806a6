import { selectEntity } from '../state/focus.ts';

/** The things that what stands below is narrowed to; a click on one widens it again. */
export function EntityChips({ entities }: { readonly entities: readonly string[] }) {
  return entities.map((entity) => (
    <button
      key={entity}
      type="button"
      className="chip"
      aria-label={`Stop filtering by ${entity}`}
      onClick={() => selectEntity(null)}
    >
      {entity} ×
    </button>
  ));
}
