import { kindLabel, type MapItem, type MapLink, type MapModel } from './map-model.ts';

export interface NodeRect {
  readonly item: MapItem;
  readonly x: number;
  readonly y: number;
}

export interface MapLayout {
  readonly nodeRects: ReadonlyMap<string, NodeRect>;
  readonly headings: readonly { readonly x: number; readonly text: string }[];
  readonly width: number;
  readonly height: number;
}

export const NODE_WIDTH = 176;
export const NODE_HEIGHT = 40;
const COLUMN_GAP = 32;
const ROW_GAP = 18;
export const MARGIN = 16;
export const HEADING = 24;
const SWEEPS = 8;

/**
 * Places the nodes: one column per step from the mains to the service, ordered so that linked nodes are close (barycentres,
 * swept back and forth: Sugiyama, Tagawa and Toda 1981). The same map always gets the same layout.
 * @param former of the map before a change: where few nodes came or went, all others stay in their places
 */
export function layOut({ items, links }: Pick<MapModel, 'items' | 'links'>, former?: MapLayout): MapLayout {
  const used = [...new Set(items.map(({ column }) => column))].sort((a, b) => a - b);
  const columns = used.map((column) => items.filter((item) => item.column === column));
  const adjacent = neighbours(links);
  let order = columns.map((column) => column.map(({ key }) => key));
  for (let sweep = 0; sweep < SWEEPS; sweep++) order = sorted(order, adjacent, sweep % 2 === 0);
  const middles = kept(order, adjacent, former) ?? settle(order, adjacent);
  const lowest = Math.min(0, ...middles.values());
  const byKey = new Map(items.map((item) => [item.key, item]));
  const nodeRects = new Map<string, NodeRect>();
  for (const [at, keys] of order.entries()) {
    for (const key of keys) {
      const y = MARGIN + HEADING + (middles.get(key) ?? 0) - lowest;
      nodeRects.set(key, { item: byKey.get(key)!, x: xOf(at), y });
    }
  }
  return {
    nodeRects,
    headings: columns.map((column, at) => ({ x: xOf(at), text: headingOf(column) })),
    width: xOf(Math.max(0, columns.length - 1)) + NODE_WIDTH + MARGIN,
    height: Math.max(0, ...[...nodeRects.values()].map(({ y }) => y)) + NODE_HEIGHT + MARGIN,
  };
}

const xOf = (column: number): number => MARGIN + column * (NODE_WIDTH + COLUMN_GAP);

function headingOf(column: readonly MapItem[]): string {
  const kinds = [...new Set(column.map(({ kind }) => kind))];
  return kinds.map(kindLabel).join(', ');
}

function neighbours(links: readonly MapLink[]): ReadonlyMap<string, readonly string[]> {
  const beside = new Map<string, string[]>();
  for (const { from, to } of links) {
    beside.set(from, [...(beside.get(from) ?? []), to]);
    beside.set(to, [...(beside.get(to) ?? []), from]);
  }
  return beside;
}

/** One sweep: every node moves to the mean position of its linked nodes in the columns already visited. */
function sorted(
  order: readonly (readonly string[])[],
  adjacent: ReadonlyMap<string, readonly string[]>,
  forward: boolean,
): string[][] {
  const result = order.map((keys) => [...keys]);
  const places = new Map<string, number>();
  const along = forward ? result.keys() : [...result.keys()].reverse();
  for (const at of along) {
    const keys = result[at]!;
    const size = Math.max(1, keys.length - 1);
    const wish = new Map(
      keys.map((key, i) => {
        const known = (adjacent.get(key) ?? []).flatMap((other) => places.get(other) ?? []);
        return [key, known.length === 0 ? i / size : mean(known)];
      }),
    );
    const place = new Map(keys.map((key, i) => [key, i]));
    keys.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0) || (place.get(a) ?? 0) - (place.get(b) ?? 0));
    for (const [i, key] of keys.entries()) places.set(key, keys.length === 1 ? (wish.get(key) ?? 0.5) : i / size);
  }
  return result;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** So few nodes may come or go for the others to keep their places. */
const MOST_NEW = 2;

/** The positions of before, and for new nodes the free place nearest to what they are linked with; null: too much is new. */
function kept(
  order: readonly (readonly string[])[],
  beside: ReadonlyMap<string, readonly string[]>,
  former: MapLayout | undefined,
): ReadonlyMap<string, number> | null {
  const keys = order.flat();
  const isNew = (key: string): boolean => !former?.nodeRects.has(key);
  if (!former || Math.abs(former.nodeRects.size - keys.length) > MOST_NEW || keys.filter(isNew).length > MOST_NEW)
    return null;
  const y = new Map(
    keys.flatMap((key) => {
      const rect = former.nodeRects.get(key);
      return rect ? [[key, rect.y - MARGIN - HEADING] as const] : [];
    }),
  );
  for (const column of order)
    for (const key of column.filter(isNew)) {
      const known = (beside.get(key) ?? []).flatMap((other) => y.get(other) ?? []);
      y.set(
        key,
        freePlace(
          column.flatMap((other) => y.get(other) ?? []),
          known.length === 0 ? 0 : mean(known),
        ),
      );
    }
  return y;
}

/** Nearest to a wish, and a pitch away from all that is taken. */
function freePlace(taken: readonly number[], wish: number): number {
  const pitch = NODE_HEIGHT + ROW_GAP;
  const isFree = (y: number): boolean => taken.every((one) => Math.abs(one - y) >= pitch);
  const places = [wish, ...taken.flatMap((one) => [one - pitch, one + pitch])].filter(isFree);
  return places.reduce((best, y) => (Math.abs(y - wish) < Math.abs(best - wish) ? y : best), places[0] ?? wish);
}

/** Vertical positions: as close to the mean of the linked nodes as order and gaps allow. */
function settle(
  order: readonly (readonly string[])[],
  beside: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const pitch = NODE_HEIGHT + ROW_GAP;
  const y = new Map(order.flatMap((keys) => keys.map((key, i) => [key, (i - (keys.length - 1) / 2) * pitch] as const)));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const along = sweep % 2 === 0 ? order : order.toReversed();
    for (const keys of along) {
      const wishes = keys.map((key) => {
        const known = (beside.get(key) ?? []).flatMap((other) => y.get(other) ?? []);
        return known.length === 0 ? (y.get(key) ?? 0) : mean(known);
      });
      for (const [i, value] of place(wishes, pitch).entries()) y.set(keys[i]!, value);
    }
  }
  return y;
}

/** Least squares with a minimum pitch: colliding runs share their mean. */
function place(wishes: readonly number[], pitch: number): number[] {
  const runs: { sum: number; count: number }[] = [];
  wishes.forEach((wish, i) => {
    runs.push({ sum: wish - i * pitch, count: 1 });
    for (let last = runs.length - 1; last > 0; last--) {
      const [a, b] = [runs[last - 1]!, runs[last]!];
      if (a.sum / a.count <= b.sum / b.count) break;
      runs.splice(last - 1, 2, { sum: a.sum + b.sum, count: a.count + b.count });
    }
  });
  const starts = runs.flatMap(({ sum, count }) => Array.from({ length: count }, () => sum / count));
  return starts.map((start, i) => start + i * pitch);
}
