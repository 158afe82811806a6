import type { SnmpValue } from './snmp-value.ts';

/** Order of OIDs: by number, component by component. */
export function compareOids(a: string, b: string): number {
  const left = a.split('.');
  const right = b.split('.');
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = Number(left[i]) - Number(right[i]);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** The answers of one agent: values by OID without a leading dot. Repeated and unsorted OIDs occur; the last one counts. */
export class SnmpWalk {
  private readonly values: ReadonlyMap<string, SnmpValue>;
  /** In text order, so that all values below an OID are one range. */
  private readonly sorted: readonly string[];

  constructor(values: ReadonlyMap<string, SnmpValue>) {
    this.values = values;
    this.sorted = [...values.keys()].sort();
  }

  get size(): number {
    return this.values.size;
  }

  get(oid: string): SnmpValue | undefined {
    const value = this.values.get(oid);
    return value?.kind === 'none' ? undefined : value;
  }

  /** NaN if there is no number. */
  number(oid: string): number {
    return this.get(oid)?.number ?? Number.NaN;
  }

  /** '' if there is no value. */
  text(oid: string): string {
    return this.get(oid)?.text.trim() ?? '';
  }

  has(prefix: string): boolean {
    return (this.sorted[this.firstBelow(prefix)] ?? '').startsWith(`${prefix}.`);
  }

  /** All values below an OID as [rest of the OID, value], in numeric order. */
  below(prefix: string): (readonly [index: string, value: SnmpValue])[] {
    const found: (readonly [string, SnmpValue])[] = [];
    for (let at = this.firstBelow(prefix); this.sorted[at]?.startsWith(`${prefix}.`); at++) {
      const oid = this.sorted[at]!;
      const value = this.get(oid);
      if (value) found.push([oid.slice(prefix.length + 1), value]);
    }
    return found.sort(([a], [b]) => compareOids(a, b));
  }

  private firstBelow(prefix: string): number {
    const wanted = `${prefix}.`;
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sorted[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
