import { type EntityKind, entityKinds } from '../../../model/entity.ts';

/** One row as `selectMapped` gives it: text, bigint, number or null by target. */
export type MappedRow = Readonly<Record<string, unknown>>;

export const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

/** Nanoseconds; zero and NULL are "not given". */
export function timeOf(value: unknown): bigint | undefined {
  if (typeof value !== 'bigint' || value === 0n) return undefined;
  return value;
}

const MOST_COUNTED = 2 ** 32;
/** 32 bits; anything else is 0. */
export const countOf = (value: unknown): number =>
  typeof value === 'number' && value >= 0 && value < MOST_COUNTED ? Math.trunc(value) : 0;

export const kindOf = (kind: string): EntityKind =>
  entityKinds.includes(kind as EntityKind) ? (kind as EntityKind) : 'device';

/** OTLP's AnyValue as JSON wrote it, or the value itself. */
function anyValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const [first] = Object.entries(value).filter(([key, inner]) => /value$/i.test(key) && inner !== null);
  return first ? first[1] : value;
}

/**
 * Attributes however a table keeps them: a map or struct as a JSON object, or a list of keys with values. Members
 * without a value are left out.
 */
export function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'string' || value === '') return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    return { value };
  }
  if (typeof parsed !== 'object' || parsed === null) return {};
  const pairs: [string, unknown][] = Array.isArray(parsed)
    ? parsed.flatMap((one: unknown) => {
        const { key, value: inner } = (one ?? {}) as { readonly key?: unknown; readonly value?: unknown };
        return typeof key === 'string' ? [[key, anyValue(inner)] as [string, unknown]] : [];
      })
    : Object.entries(parsed);
  return Object.fromEntries(pairs.filter(([, inner]) => inner !== null && inner !== undefined));
}

/** The same as JSON text, as it was written where it can stay so; '' when there are none. */
export function objectText(value: unknown): string {
  const attributes = objectOf(value);
  const members = Object.keys(attributes).length;
  if (members === 0) return '';
  return typeof value === 'string' && isObjectOf(value, members) ? value : JSON.stringify(attributes);
}

/** An object that lost no member when it was read: writing it again would round long numbers. */
function isObjectOf(text: string, members: number): boolean {
  if (!text.startsWith('{')) return false;
  try {
    return Object.keys(JSON.parse(text) as object).length === members;
  } catch {
    return false;
  }
}

/** Attributes of the resource, its service among them even where it has a column of its own. */
export function resourceText(row: Readonly<Record<string, unknown>>): string {
  // Where the kind of the service is stated, attributes are what was recorded and nothing else.
  const service = textOf(row.service_kind) === '' ? textOf(row.service) : '';
  const stated = textOf(row.resource_attributes);
  if (service === '') return objectText(stated);
  const attributes = objectOf(stated);
  attributes['service.name'] ??= service;
  return JSON.stringify(attributes);
}
