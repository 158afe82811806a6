import type { Members } from '../http/archive-client.ts';

interface Stream extends Members {
  readonly values?: unknown;
}

const streamsOf = (answer: Members): readonly Stream[] => {
  const { result } = (answer['data'] ?? {}) as { readonly result?: unknown };
  return Array.isArray(result) ? (result as readonly Stream[]) : [];
};

const timeOf = (line: unknown): bigint | undefined => {
  const [time] = Array.isArray(line) ? (line as unknown[]) : [];
  return typeof time === 'string' && /^\d{1,20}$/.test(time) ? BigInt(time) : undefined;
};

const valuesOf = ({ values }: Stream): readonly unknown[] => (Array.isArray(values) ? values : []);

/** How many lines an answer has, and the last of their times; undefined: none has one. */
export function linesOf(answer: Members): { readonly count: number; readonly last_ns: bigint | undefined } {
  let count = 0;
  let last_ns: bigint | undefined;
  for (const line of streamsOf(answer).flatMap(valuesOf)) {
    count++;
    const time_ns = timeOf(line);
    if (time_ns !== undefined && (last_ns === undefined || time_ns > last_ns)) last_ns = time_ns;
  }
  return { count, last_ns };
}

/** The answer without lines of this time; a line without a time stays, to be counted as a reject. */
export function before(answer: Members, last_ns: bigint): Members {
  const result = streamsOf(answer).map((stream) => ({
    ...stream,
    values: valuesOf(stream).filter((line) => (timeOf(line) ?? 0n) < last_ns),
  }));
  return { ...answer, data: { ...(answer['data'] as Members), result } };
}
