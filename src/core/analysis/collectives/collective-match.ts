/** One collective or point-to-point operation as one rank recorded it: a row of `collective`. */
export interface CollectiveFact {
  readonly rank: number;
  readonly group_id: string;
  readonly group_name: string;
  /** Global ranks in the order of their rank within the group; null where the recording does not list them. */
  readonly group_ranks: readonly number[] | null;
  /** Of collectives in the group; -1 unknown. */
  readonly sequence: number | bigint;
  readonly p2p_sequence: number | bigint;
  /** `all_reduce`, `send 0->3` with ranks counted within the group. */
  readonly operation: string;
  /** scheduled, started, completed. */
  readonly state: string;
  /** 0 where the recording has none. */
  readonly created_ns: bigint;
  readonly started_ns: bigint;
  readonly completed_ns: bigint;
  readonly dtype: string;
  /** JSON lists, '' unknown. */
  readonly input_sizes: string;
  readonly output_sizes: string;
  /** If known; the name of a `coalesced` entry does not contain it. */
  readonly is_p2p?: boolean | null;
}

/** How the entries of one operation compare over the ranks that entered it (terms of PyTorch's analyser). */
export type MatchKind =
  | 'FULLY_MATCHED'
  | 'COLLECTIVE_TYPE_MISMATCH'
  | 'SIZE_OR_SYNTAX_MISMATCH'
  | 'COLLECTIVE_DTYPE_MISMATCH'
  | 'COLLECTIVE_STATE_MISMATCH'
  | 'UNDECIDED';

export interface Match {
  readonly kind: MatchKind;
  /** Ranks that differ from most; all of them when there is no majority. */
  readonly deviating: readonly number[];
}

export const isCompleted = (fact: CollectiveFact): boolean => fact.state === 'completed' || fact.completed_ns > 0n;

/**
 * Whether completion on one rank proves that every rank took part. True if every rank needs data of every other;
 * a broadcast, a reduction to one rank, a send may complete on one side long before the other side arrives.
 */
export const needsEveryone = (operation: string): boolean =>
  /^_?(?:all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|barrier)/i.test(operation);

/** Operations whose element counts must be equal on all ranks; others may differ, so nothing is concluded. */
const equalInputs =
  /^_?(?:all_?reduce|broadcast|reduce(?!_?scatter)|all_?gather_(?:base|into)|reduce_?scatter_(?:base|tensor))/i;
const undecided = /^_?all_?to_?all/i;

/** Compares what the ranks entered under one sequence number. Reports the most fundamental difference. */
export function matchEntries(facts: readonly CollectiveFact[]): Match {
  const type = deviants(facts, ({ operation }) => operation);
  if (type.length > 0) return { kind: 'COLLECTIVE_TYPE_MISMATCH', deviating: type };
  const dtype = deviants(facts, ({ dtype: name }) => name);
  const operation = facts[0]?.operation ?? '';
  if (!undecided.test(operation) && equalInputs.test(operation)) {
    const size = deviants(facts, ({ input_sizes }) => elements(input_sizes));
    if (size.length > 0) return { kind: 'SIZE_OR_SYNTAX_MISMATCH', deviating: size };
  }
  if (dtype.length > 0) return { kind: 'COLLECTIVE_DTYPE_MISMATCH', deviating: dtype };
  const done = facts.filter(isCompleted).length;
  const started = facts.filter(({ state }) => state === 'started').length;
  if ((done > 0 && done < facts.length) || (started > 0 && started + done < facts.length))
    return { kind: 'COLLECTIVE_STATE_MISMATCH', deviating: [] };
  // Ranks of an all-to-all may send different amounts, so sizes cannot be compared.
  return { kind: undecided.test(operation) ? 'UNDECIDED' : 'FULLY_MATCHED', deviating: [] };
}

/** Ranks with a minority value; unknown values ('') match everything. */
function deviants(facts: readonly CollectiveFact[], value: (fact: CollectiveFact) => string): number[] {
  const counts = new Map<string, number>();
  for (const fact of facts) if (value(fact) !== '') counts.set(value(fact), (counts.get(value(fact)) ?? 0) + 1);
  if (counts.size < 2) return [];
  const [first, second] = [...counts].sort(([, a], [, b]) => b - a);
  const majority = first && second && first[1] > second[1] ? first[0] : undefined;
  return facts.filter((fact) => value(fact) !== '' && value(fact) !== majority).map(({ rank }) => rank);
}

/** Number of elements over all tensors; '' where the sizes are unknown. Shapes may differ with equal counts. */
function elements(sizes: string): string {
  if (sizes === '') return '';
  try {
    const lists: unknown = JSON.parse(sizes);
    if (!Array.isArray(lists)) return '';
    const count = lists.reduce(
      (sum: number, list: unknown) =>
        sum + (Array.isArray(list) ? list.reduce((product: number, n: unknown) => product * Number(n), 1) : Number.NaN),
      0,
    );
    return Number.isFinite(count) ? String(count) : '';
  } catch {
    return '';
  }
}

/** The two ends of `send 0->3` and `recv 3<-0`, counted within the group. */
export function endsOf(operation: string): { readonly from: number; readonly to: number } | undefined {
  const match = /^(send|recv) (\d+)\s*(?:->|<-)\s*(\d+)$/.exec(operation);
  if (!match) return undefined;
  const [, verb, own, other] = match;
  return verb === 'send' ? { from: Number(own), to: Number(other) } : { from: Number(other), to: Number(own) };
}
