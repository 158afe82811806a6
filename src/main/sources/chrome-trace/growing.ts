type Numbers = Float64Array | Int32Array | BigUint64Array;

/** A typed array that grows: millions of events are kept as a few bytes each, not as objects. */
export class Growing<T extends Numbers> {
  values: T;
  length = 0;

  constructor(empty: T) {
    this.values = empty;
  }

  push(value: T[number]): number {
    if (this.length === this.values.length) {
      const make = this.values.constructor as new (size: number) => T;
      const grown = new make(Math.max(1024, this.length * 2));
      (grown as Float64Array).set(this.values as Float64Array);
      this.values = grown;
    }
    (this.values as Float64Array)[this.length] = value as number;
    return this.length++;
  }
}
