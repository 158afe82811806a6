import { spanMarks } from '../../../model/contract/trace-group.ts';
import { CLIENT, CONSUMER, PRODUCER, type RecordedSpans, SERVER } from './recorded-spans.ts';
import { SpanIndex, uint32WordsOf } from './span-index.ts';

export interface Parents {
  /** Index of each span's parent; -1: none recorded. */
  readonly parent: Int32Array<ArrayBuffer>;
  /** Bits of `spanMarks`: orphan, duplicate, cycle. */
  readonly marks: Uint8Array<ArrayBuffer>;
}

/**
 * Finds each span's parent in its own trace. Two spans with one id are one call if one is its client and the other its server
 * half (Zipkin): the server span is the child of the client span, and has the children that do not come from the client's
 * process. Any other second span of an id is marked. A cycle of parents is cut above the span that began first.
 */
export function findParents(spans: RecordedSpans): Parents {
  const families = new Families(spans);
  const count = spans.parent_id.length;
  const parent = new Int32Array(count).fill(-1);
  const marks = new Uint8Array(count);
  const isAlone = families.alone();
  for (let i = 0; i < count; i++) {
    if (isAlone[i] === 0) {
      parent[i] = families.sender(i);
      if (families.isDuplicate(i)) marks[i] = spanMarks.duplicate;
    }
    if (parent[i] !== -1 || !families.hasParent(i)) continue;
    parent[i] = families.parentOf(i);
    if (parent[i] === -1) marks[i] = marks[i]! | spanMarks.orphan;
  }
  cutCircles(parent, marks, spans.start_ns);
  return { parent, marks };
}

const isSender = (kind: number): boolean => kind === CLIENT || kind === PRODUCER;
const isReceiver = (kind: number): boolean => kind === SERVER || kind === CONSUMER;

/** Spans of one id. */
class Families {
  private readonly spans: RecordedSpans;
  private readonly index: SpanIndex;
  private readonly ids: Uint32Array;
  private readonly parents: Uint32Array;

  constructor(spans: RecordedSpans) {
    this.spans = spans;
    this.index = new SpanIndex(spans.trace, spans.id);
    this.ids = uint32WordsOf(spans.id);
    this.parents = uint32WordsOf(spans.parent_id);
  }

  private head(i: number): number {
    return this.index.first(this.spans.trace[i]!, this.ids, i);
  }

  /** 1 for spans with a unique id, nearly all, which need no lookup. */
  alone(): Uint8Array {
    const { next } = this.index;
    const alone = new Uint8Array(next.length).fill(1);
    for (let i = 0; i < next.length; i++) {
      const other = next[i]!;
      if (other >= 0) alone[i] = alone[other] = 0;
    }
    return alone;
  }

  hasParent(i: number): boolean {
    return this.parents[2 * i] !== 0 || this.parents[2 * i + 1] !== 0;
  }

  /** The client half of the call of which this span is the server half; -1: none. */
  sender(i: number): number {
    const { kind } = this.spans;
    if (!isReceiver(kind[i]!)) return -1;
    for (let at = this.head(i); at >= 0; at = this.index.next[at]!) if (isSender(kind[at]!)) return at;
    return -1;
  }

  /** For a span with a shared id. */
  isDuplicate(i: number): boolean {
    const { kind } = this.spans;
    let [senders, receivers, others] = [0, 0, 0];
    for (let at = this.head(i); at >= 0; at = this.index.next[at]!) {
      if (isSender(kind[at]!)) senders++;
      else if (isReceiver(kind[at]!)) receivers++;
      else others++;
    }
    return senders !== 1 || receivers !== 1 || others > 0;
  }

  /** Of several spans of the parent's id: the one of the same process, else the server half, else the first. */
  parentOf(i: number): number {
    const { trace, process, kind } = this.spans;
    let best = -1;
    let rank = -1;
    for (let at = this.index.first(trace[i]!, this.parents, i); at >= 0; at = this.index.next[at]!) {
      if (at === i) continue;
      const near = process[at] === process[i] && process[i] !== -1 ? 2 : isReceiver(kind[at]!) ? 1 : 0;
      if (near <= rank) continue;
      best = at;
      rank = near;
    }
    return best;
  }
}

/** Walks up from every span once; a walk that meets itself is a cycle. */
function cutCircles(parent: Int32Array, marks: Uint8Array, start_ns: Float64Array): void {
  /** 0: not seen; else the walk that saw it first. */
  const seen = new Int32Array(parent.length);
  for (let i = 0; i < parent.length; i++) {
    let at = i;
    while (at >= 0 && seen[at] === 0) {
      seen[at] = i + 1;
      at = parent[at]!;
    }
    if (at < 0 || seen[at] !== i + 1) continue;
    let first = at;
    for (let other = parent[at]!; other !== at; other = parent[other]!)
      if (start_ns[other]! < start_ns[first]!) first = other;
    parent[first] = -1;
    marks[first] = marks[first]! | spanMarks.circle;
  }
}
