export interface Keyed<T> {
  readonly key: string;
  readonly value: T;
}

/** For lists that are drawn whole and never reordered, where the place is the identity. */
export const keyed = <T>(values: readonly T[]): readonly Keyed<T>[] =>
  values.map((value, at) => ({ key: String(at), value }));
