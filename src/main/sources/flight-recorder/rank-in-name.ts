/** Facts in a file name: the rank that wrote it, and the part that the names of all ranks share. */
export interface RankInName {
  readonly rank: number | undefined;
  /** The name with `*` in place of the rank. */
  readonly pattern: string;
}

/** `nccl_trace_rank_3.json`, `rank3.pkl`, `_dump_12`, `trace.rank-07.2024.pkl`. */
export function rankInName(path: string): RankInName {
  const name = path.split('/').at(-1) ?? '';
  const base = name.replace(/(?:\.[A-Za-z]\w*)+$/, '');
  const match = /(rank[-_.]?)(\d{1,7})(?!\d)/i.exec(base) ?? /^(.*?)(\d{1,7})$/.exec(base);
  if (!match) return { rank: undefined, pattern: name };
  const from = match.index + match[1]!.length;
  const digits = match[2]!;
  return { rank: Number(digits), pattern: `${name.slice(0, from)}*${name.slice(from + digits.length)}` };
}
