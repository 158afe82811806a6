import { shortList } from '../../../model/incident/chain-folds.ts';
import { clockText, momentText } from '../report-text.ts';
import { arrow, ink, label, rect, shorten, svgDocument } from './svg.ts';

/** The part of the map along which the incident travelled. */
export interface DrawnMap {
  readonly nodes: readonly {
    readonly key: string;
    readonly kind: string;
    readonly id: string;
    readonly layer: string;
  }[];
  readonly links: readonly {
    readonly from: string;
    readonly to: string;
    readonly kind: string;
    readonly ref: string;
  }[];
  /** The first event of each entity in the chain. */
  readonly troubled: ReadonlyMap<string, bigint>;
}

export interface Instant {
  readonly name: string;
  readonly time_ns: bigint;
}

const WIDTH = 760;
const NODE_WIDTH = 150;
/** Between two columns, for arrows. */
const GAP = 24;
const NODE_HEIGHT = 34;
const ROW = 60;
const order = ['power', 'cooling', 'network', 'server', 'gpu', 'orchestrator', 'service'];

/** The same map once for each instant: filled with a cross is what was in trouble by then, as far as was recorded. */
export function topologyFigure({
  id,
  map,
  instants,
}: {
  readonly id: string;
  readonly map: DrawnMap;
  readonly instants: readonly Instant[];
}): string {
  const columnOf = columnsOf(map);
  const layers = [...new Set(columnOf.values())].toSorted((a, b) => a - b);
  const rows = Math.max(1, ...layers.map((layer) => map.nodes.filter(({ key }) => columnOf.get(key) === layer).length));
  const step = layers.length > 1 ? (WIDTH - NODE_WIDTH - 8) / (layers.length - 1) : 0;
  const width = Math.min(NODE_WIDTH, step === 0 ? NODE_WIDTH : step - GAP);
  const places = new Map(
    layers.flatMap((layer, column) =>
      map.nodes
        .filter(({ key }) => columnOf.get(key) === layer)
        .map((node, row) => [node.key, { x: 4 + column * step, y: 40 + row * ROW }] as const),
    ),
  );
  const panel = 40 + rows * ROW;
  const body = instants.flatMap(({ name, time_ns }, at) => [
    `<g transform="translate(0 ${at * panel})">`,
    label(4, 18, `${name}: ${momentText(time_ns)}`, { bold: true }),
    ...map.links.flatMap((link) => drawnLink(link, places, width)),
    ...map.nodes.flatMap((node) => {
      const place = places.get(node.key);
      const since = map.troubled.get(node.key);
      return place ? drawnNode(node, { ...place, width, isBad: since !== undefined && since <= time_ns }) : [];
    }),
    '</g>',
  ]);
  const frame = {
    id,
    title: 'Topology',
    description: topologyText(map, instants),
    width: WIDTH,
    height: panel * instants.length,
  };
  return svgDocument(frame, body);
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** A fault goes from what feeds or carries to what is fed or carried, whichever way the link is stated. */
function drawnLink(
  { from, to, kind }: DrawnMap['links'][number],
  places: ReadonlyMap<string, Place>,
  width: number,
): string[] {
  const [a, b] = [places.get(from), places.get(to)];
  if (!a || !b) return [];
  const dash = kind === 'runs_on' || kind === 'member_of' ? ' stroke-dasharray="3 3"' : '';
  const isDown = b.y > a.y;
  const [left, right] = a.x <= b.x ? [a, b] : [b, a];
  const [startY, endY, turn] = [left.y + NODE_HEIGHT / 2, right.y + NODE_HEIGHT / 2, right.x - GAP / 2];
  const points: [number, number][] =
    left.x === right.x
      ? [
          [a.x + width / 2, a.y + (isDown ? NODE_HEIGHT : 0)],
          [b.x + width / 2, b.y + (isDown ? 0 : NODE_HEIGHT)],
        ]
      : [
          [left.x + width, startY],
          [turn, startY],
          [turn, endY],
          [right.x, endY],
        ];
  return [arrow(points, ink.muted, dash)];
}

function drawnNode(
  { id, kind }: DrawnMap['nodes'][number],
  { x, y, width, isBad }: Place & { readonly width: number; readonly isBad: boolean },
): string[] {
  const style = isBad
    ? `fill="${ink.impact}" stroke="${ink.critical}" stroke-width="2"`
    : `fill="${ink.quiet}" stroke="${ink.muted}"`;
  const name = shorten(id, Math.floor((width - 8) / (isBad ? 8.6 : 6.8)));
  return [
    rect(x, y, width, NODE_HEIGHT, `rx="4" ${style}`),
    label(x + 6, y + 14, `${isBad ? '✕ ' : ''}${name}`, { bold: isBad }),
    label(x + 6, y + 27, kind, { fill: ink.muted }),
  ];
}

/** The column of each node: layers in the order in which faults travel, and what feeds before what is fed within a layer. */
function columnsOf({ nodes, links }: DrawnMap): Map<string, number> {
  const layerOf = new Map(nodes.map(({ key, layer }) => [key, layer]));
  const isFed = new Set(
    links.flatMap(({ from, to, kind }) => (kind === 'feeds' && layerOf.get(from) === layerOf.get(to) ? [to] : [])),
  );
  return new Map(nodes.map(({ key, layer }) => [key, 2 * order.indexOf(layer) + (isFed.has(key) ? 1 : 0)]));
}

type DrawnLink = DrawnMap['links'][number];

/** Links of one kind that begin at one entity, the first of each in front: a server with eight GPUs is one statement. */
export const linksBySource = (links: readonly DrawnLink[]): [DrawnLink, readonly DrawnLink[]][] =>
  [...Map.groupBy(links, ({ from, kind }) => `${kind} ${from}`).values()].map((own) => [own[0]!, own]);

export function topologyText({ nodes, links, troubled }: DrawnMap, instants: readonly Instant[]): string {
  const states = instants.map(({ name, time_ns }) => {
    const bad = nodes.filter(({ key }) => (troubled.get(key) ?? time_ns + 1n) <= time_ns).map(({ id }) => id);
    return `${name} (${clockText(time_ns)}): in trouble ${shortList(bad) || 'nothing recorded'}`;
  });
  const idOf = new Map(nodes.map(({ key, id }) => [key, id]));
  const linkTexts = linksBySource(links).map(([{ from, kind }, own]) => {
    const ends = own.map(({ to }) => idOf.get(to) ?? '?');
    return `${idOf.get(from)} ${kind.replace('_', ' ')} ${shortList(ends)}`;
  });
  return `${states.join('. ')}. Links: ${linkTexts.join('; ') || 'none recorded'}.`;
}
