import type { BatchBuilder } from '../../../../model/rows/batch-builder.ts';
import { namedPlace } from '../../log-record/named-place.ts';
import type { Origin } from '../../log-record/writer.ts';
import { BatchCache } from './batch-cache.ts';
import type { LineScan } from './line-scan.ts';
import type { ShapePlan } from './shape.ts';
import { jsonOf } from './value-text.ts';

/** Notes the places that lines name, each once per batch. */
export class LinePlaces {
  private readonly builder: BatchBuilder;
  /** By the values of their attributes: numbers of the resources beside which they were noted. */
  private readonly noted = new BatchCache<Set<number>>();

  constructor(builder: BatchBuilder) {
    this.builder = builder;
  }

  /** Of the line that was scanned last, which has such attributes. */
  note(bytes: Uint8Array, { starts, ends, kinds }: LineScan, { id, places }: ShapePlan, origin: Origin): void {
    const { noted, builder } = this;
    let key: number;
    let epoch: number;
    do {
      epoch = noted.epoch;
      key = -1 - id;
      for (let i = 0; i < places.length; i++) {
        const { slot } = places[i]!;
        key = noted.key(bytes, starts[slot]!, ends[slot]!, key);
      }
    } while (epoch !== noted.epoch);
    const beside = noted.get(key, builder.epoch) ?? noted.set(key, new Set());
    if (beside.has(origin.resource)) return;
    beside.add(origin.resource);
    const parsed = (slot: number) => jsonOf(bytes, starts[slot]!, ends[slot]!, kinds[slot]!);
    const attributes = namedPlace(Object.fromEntries(places.map(({ name, slot }) => [name, parsed(slot)])));
    if (attributes) builder.logPlace({ resource: origin.text, attributes });
  }
}
