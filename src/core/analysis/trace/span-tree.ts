/** Spans in the order in which a tree is read. */
export interface Tree {
  /** Index of each span's parent; -1: a root. */
  readonly parent: Int32Array<ArrayBuffer>;
  /** Indexes of the spans: each before its children, children by their beginning. */
  readonly order: Int32Array<ArrayBuffer>;
}

/**
 * Orders every span after its parent and before its later siblings.
 * @param parent without cycles
 * @param ranked indexes of the spans in the order of siblings and roots
 */
export function readingOrder(parent: Int32Array<ArrayBuffer>, ranked: ArrayLike<number>): Tree {
  const count = parent.length;
  const firstChild = new Int32Array(count).fill(-1);
  const nextSibling = new Int32Array(count).fill(-1);
  let firstRoot = -1;
  // In reverse: each is inserted before the earlier ones.
  for (let at = count - 1; at >= 0; at--) {
    const span = ranked[at]!;
    const above = parent[span]!;
    nextSibling[span] = above < 0 ? firstRoot : firstChild[above]!;
    if (above < 0) firstRoot = span;
    else firstChild[above] = span;
  }
  const order = new Int32Array(count);
  let placed = 0;
  for (let span = firstRoot; span >= 0; ) {
    order[placed++] = span;
    let next = firstChild[span]!;
    for (let from = span; next < 0 && from >= 0; from = parent[from]!) next = nextSibling[from]!;
    span = next;
  }
  return { parent, order };
}

export interface Depths {
  readonly depth: Int32Array<ArrayBuffer>;
  /** Number of descendants, which follow directly. */
  readonly descendants: Int32Array<ArrayBuffer>;
}

/** @param parent of spans in reading order, as indexes of that order */
export function depthsOf(parent: Int32Array): Depths {
  const depth = new Int32Array(parent.length);
  const descendants = new Int32Array(parent.length);
  for (let at = 0; at < parent.length; at++) {
    const above = parent[at]!;
    depth[at] = above < 0 ? 0 : depth[above]! + 1;
  }
  for (let at = parent.length - 1; at >= 0; at--) {
    const above = parent[at]!;
    if (above >= 0) descendants[above] = descendants[above]! + descendants[at]! + 1;
  }
  return { depth, descendants };
}
