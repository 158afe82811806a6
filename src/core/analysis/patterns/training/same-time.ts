interface Timed {
  readonly start_ns: bigint;
  readonly end_ns: bigint;
}

/** Groups of what happened at the same time: each overlaps the time of its group by half of the shorter of both, or more. */
export function overlapping<T extends Timed>(all: readonly T[]): [T, ...T[]][] {
  const groups: { readonly own: [T, ...T[]]; start_ns: bigint; end_ns: bigint }[] = [];
  for (const one of all.toSorted((a, b) => (a.start_ns < b.start_ns ? -1 : a.start_ns > b.start_ns ? 1 : 0))) {
    const group = groups.find((other) => isSameTime(other, one));
    if (!group) {
      groups.push({ own: [one], start_ns: one.start_ns, end_ns: one.end_ns });
      continue;
    }
    group.own.push(one);
    if (one.end_ns > group.end_ns) group.end_ns = one.end_ns;
  }
  return groups.map(({ own }) => own);
}

function isSameTime(a: Timed, b: Timed): boolean {
  const start = a.start_ns > b.start_ns ? a.start_ns : b.start_ns;
  const end = a.end_ns < b.end_ns ? a.end_ns : b.end_ns;
  const [of_a, of_b] = [a.end_ns - a.start_ns, b.end_ns - b.start_ns];
  return 2n * (end - start) >= (of_a < of_b ? of_a : of_b);
}
