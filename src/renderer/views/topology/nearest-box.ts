import type { Box } from './power-layout.ts';

type Direction = readonly [dx: number, dy: number];
const directions: Readonly<Record<string, Direction>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** A step aside costs this much more than a step ahead. */
const ASIDE = 3;

/** The box that a person means by an arrow key; undefined for other keys and at the border. */
export function nearestBox(boxes: readonly Box[], from: Box, key: string): Box | undefined {
  const direction = directions[key];
  if (!direction) return undefined;
  const [dx, dy] = direction;
  let best: { readonly box: Box; readonly cost: number } | undefined;
  for (const box of boxes) {
    const ahead = (box.x - from.x) * dx + (box.y - from.y) * dy;
    const aside = Math.abs((box.x - from.x) * dy) + Math.abs((box.y - from.y) * dx);
    if (ahead <= 0) continue;
    const cost = ahead + ASIDE * aside;
    if (!best || cost < best.cost) best = { box, cost };
  }
  return best?.box;
}
