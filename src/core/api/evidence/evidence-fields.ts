import { type EntityKind, entityKey, entityKinds, type Layer, layerOf } from '../../../model/entity.ts';
import { fail } from '../../../model/problem.ts';

/** @throws ProblemError evidence.unknown */
export function unknown(ref: string): never {
  return fail('evidence.unknown', `there is no evidence ${ref} in this case`);
}

interface About {
  readonly entity: string | null;
  readonly layer: Layer | null;
}

/** About no named entity. */
export const aboutNothing: About = { entity: null, layer: null };

/** Entity of a record, from nullable columns. */
export function aboutEntity(kind: unknown, id: unknown): About {
  const known = entityKinds.find((one) => one === kind) as EntityKind | undefined;
  if (known === undefined || typeof id !== 'string') return aboutNothing;
  return { entity: entityKey(known, id), layer: layerOf(known) };
}

export const text = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return value instanceof Date ? value.toISOString() : String(value);
};
/** Non-null fields. */
export const fields = (entries: readonly (readonly [string, unknown])[]) =>
  entries
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => ({ name, value: text(value) }));
