export interface Keyed<T> {
  readonly key: string;
  readonly value: T;
}

/** Keys for lists that are never reordered, where the index is the identity. */
export const keyed = <T>(values: readonly T[]): readonly Keyed<T>[] =>
  values.map((value, at) => ({ key: String(at), value }));
