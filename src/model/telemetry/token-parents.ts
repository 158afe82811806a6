/** Columns of spans in reading order. */
export interface TokenSpanColumns {
  /** Index of a span; -1: none. */
  readonly parent: Int32Array;
  /** How many spans stand below, at any depth. */
  readonly descendants: Int32Array;
  /** 2: error. */
  readonly status: Uint8Array;
  /** Index into `names`; -1: not recorded. */
  readonly name: Int32Array;
  readonly names: readonly string[];
}

/** Token spans of one parent from which they begin as one band. */
const LEAST_TOKENS = 32;

/** 1: a span without children whose name is that of a token, below another span. */
function tokenLeaves({ parent, descendants, name, names }: TokenSpanColumns): Uint8Array {
  const isToken = names.map((text) => /(?:^|[^a-z])tokens?(?:[^a-z]|$)/i.test(text));
  const leaves = new Uint8Array(parent.length);
  for (let span = 0; span < leaves.length; span++)
    if (parent[span]! >= 0 && descendants[span] === 0 && isToken[name[span]!]) leaves[span] = 1;
  return leaves;
}

/**
 * Spans below which instrumentation recorded each output token: folded at first, so that thousands of equal rows do not hide the
 * stages of a request. Failed tokens stay visible.
 */
export function tokenParents(spans: TokenSpanColumns): {
  readonly parents: ReadonlySet<number>;
  readonly leaves: Uint8Array;
} {
  const leaves = tokenLeaves(spans);
  const tokens = new Int32Array(leaves.length);
  const failed = new Set<number>();
  for (let span = 0; span < leaves.length; span++) {
    if (leaves[span] === 0) continue;
    const above = spans.parent[span]!;
    tokens[above] = tokens[above]! + 1;
    if (spans.status[span] === 2) failed.add(above);
  }
  const parents = new Set<number>();
  for (let span = 0; span < tokens.length; span++)
    if (tokens[span]! >= LEAST_TOKENS && !failed.has(span)) parents.add(span);
  return { parents, leaves };
}
