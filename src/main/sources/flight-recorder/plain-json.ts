/** Most text that one value may become: a pickle can name a large value once and mention it a million times. */
const MAX_NODES = 20_000;
const MAX_TEXT = 4_096;
const MAX_DEPTH = 12;

/**
 * A copy that `JSON.stringify` writes in bounded space: long texts are cut, and what is too deep or too much becomes
 * `…`. Integers beyond 2^53 become texts, numbers that JSON cannot write become null.
 */
export function plainJson(value: unknown): unknown {
  return copy(value, 0, { nodes: MAX_NODES });
}

function copy(value: unknown, depth: number, left: { nodes: number }): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const item of value as unknown[]) {
      if (--left.nodes < 0) return [...list, '…'];
      list.push(copy(item, depth + 1, left));
    }
    return list;
  }
  const pairs: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (--left.nodes < 0) break;
    pairs.push([key.slice(0, MAX_TEXT), copy(item, depth + 1, left)]);
  }
  return Object.fromEntries(pairs);
}
