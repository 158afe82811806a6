import { contentId } from '../traces/ids.ts';
import type { TraceEvent } from './format.ts';
import { Growing } from './growing.ts';
import type { Points } from './nesting.ts';

const START = 0;

/** An arrow from one slice to a later one. */
export interface Arrow {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

/** Flow events: each binds to the slice around it, and points from the event before it under the same id. */
export class Flows {
  private readonly point = new Growing(new Int32Array(0));
  private readonly key = new Growing(new BigUint64Array(0));
  private readonly step = new Growing(new Int32Array(0));
  private readonly name = new Growing(new Int32Array(0));
  private readonly names = new Map<string, number>();
  /** Events that had no counterpart, or no slice around them. */
  dropped = 0;

  add(point: number, { id, name, category, phase }: TraceEvent): void {
    const label = name === '' ? category : name;
    let code = this.names.get(label);
    if (code === undefined) {
      code = this.names.size;
      this.names.set(label, code);
    }
    this.point.push(point);
    this.key.push(contentId(id));
    this.step.push(phase === 'flow start' ? START : 1);
    this.name.push(code);
  }

  /** Call after the points have their slices. */
  *arrows(points: Points): Generator<Arrow> {
    const labels = [...this.names.keys()];
    const keys = this.key.values;
    const steps = this.step.values;
    const at = (flow: number): number => points.time.values[this.point.values[flow]!]!;
    const order = Int32Array.from({ length: this.point.length }, (_, i) => i).sort((a, b) => {
      const first = keys[a]!;
      const second = keys[b]!;
      if (first !== second) return first < second ? -1 : 1;
      return at(a) - at(b) || steps[a]! - steps[b]! || a - b;
    });
    let before = -1;
    let used = true;
    for (const flow of order) {
      const follows = steps[flow] !== START && before >= 0 && keys[before] === keys[flow];
      const from = follows ? points.slice.values[this.point.values[before]!]! : -1;
      const to = points.slice.values[this.point.values[flow]!]!;
      const drawn = from >= 0 && to >= 0 && from !== to;
      if (drawn) yield { from, to, name: labels[this.name.values[flow]!] ?? '' };
      // An event is dropped when no arrow ends at it and none begins there.
      if (drawn && !used) this.dropped--;
      if (!drawn) this.dropped++;
      used = drawn;
      before = flow;
    }
  }
}
