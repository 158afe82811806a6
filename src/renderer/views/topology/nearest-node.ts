import type { NodeRect } from './power-layout.ts';

type Direction = readonly [dx: number, dy: number];
const directions: Readonly<Record<string, Direction>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** Weight of sideways distance, compared with distance in the direction of the key. */
const ASIDE = 3;

/** The node in the direction of an arrow key; undefined for other keys and at the border. */
export function nearestNode(nodeRects: readonly NodeRect[], from: NodeRect, key: string): NodeRect | undefined {
  const direction = directions[key];
  if (!direction) return undefined;
  const [dx, dy] = direction;
  let best: { readonly nodeRect: NodeRect; readonly cost: number } | undefined;
  for (const nodeRect of nodeRects) {
    const ahead = (nodeRect.x - from.x) * dx + (nodeRect.y - from.y) * dy;
    const aside = Math.abs((nodeRect.x - from.x) * dy) + Math.abs((nodeRect.y - from.y) * dx);
    if (ahead <= 0) continue;
    const cost = ahead + ASIDE * aside;
    if (!best || cost < best.cost) best = { nodeRect, cost };
  }
  return best?.nodeRect;
}
