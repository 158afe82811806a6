/** Parts of OTLP as JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). */
export type Attributes = Readonly<Record<string, string | number>>;

export const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : Number.isInteger(value)
          ? { intValue: String(value) }
          : { doubleValue: value },
  }));

/** Records by the resource that they come from, in the order in which the resources first appear. */
export class ByResource<T> {
  private readonly groups = new Map<string, { readonly resource: Attributes; readonly records: T[] }>();

  add(resource: Attributes, record: T): void {
    const key = JSON.stringify(resource);
    const group = this.groups.get(key) ?? { resource, records: [] };
    this.groups.set(key, group);
    group.records.push(record);
  }

  map<R>(make: (resource: { attributes: ReturnType<typeof attributesOf> }, records: readonly T[]) => R): R[] {
    return [...this.groups.values()].map(({ resource, records }) =>
      make({ attributes: attributesOf(resource) }, records),
    );
  }
}
