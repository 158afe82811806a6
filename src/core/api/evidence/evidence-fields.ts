import { jsonMembers } from '../../../base/json-members.ts';
import { type EntityKind, entityKey, entityKinds, type Layer, layerOf } from '../../../model/entity.ts';
import { fail } from '../../../model/problem.ts';
import { derivedFields } from '../lanes/derived-fields.ts';

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

/** JSON with line breaks, for people. */
export function pretty(raw: unknown): string {
  if (typeof raw !== 'string' || raw === '') return '';
  try {
    return JSON.stringify(JSON.parse(raw), null, 2);
  } catch {
    return raw; // Not JSON: shown as recorded.
  }
}

/** Attributes as fields of a record. */
export const attributeEntries = (json: unknown): [string, unknown][] => {
  if (typeof json !== 'string' || json === '') return [];
  const parsed = jsonMembers(json);
  return Object.entries(parsed).flatMap(([name, value]): [string, unknown][] => {
    if (name === 'derived_from' && typeof value === 'object' && value !== null) return derivedFields(value);
    return [[name, typeof value === 'object' ? JSON.stringify(value) : value]];
  });
};
