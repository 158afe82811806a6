import { formatUtc, nanos } from '../../../model/time.ts';
import { ink, label, line, rect, shorten, svgDocument } from './svg.ts';

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
const NODE_HEIGHT = 34;
const ROW = 60;
const order = ['power', 'cooling', 'network', 'server', 'orchestrator', 'gpu', 'service'];

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
  const layers = order.filter((layer) => map.nodes.some((node) => node.layer === layer));
  const rows = Math.max(1, ...layers.map((layer) => map.nodes.filter((node) => node.layer === layer).length));
  const step = layers.length > 1 ? (WIDTH - NODE_WIDTH - 8) / (layers.length - 1) : 0;
  const width = Math.min(NODE_WIDTH, step === 0 ? NODE_WIDTH : step - 14);
  const places = new Map(
    layers.flatMap((layer, column) =>
      map.nodes
        .filter((node) => node.layer === layer)
        .map((node, row) => [node.key, { x: 4 + column * step, y: 40 + row * ROW }] as const),
    ),
  );
  const panel = 40 + rows * ROW;
  const body = instants.flatMap(({ name, time_ns }, at) => [
    `<g transform="translate(0 ${at * panel})">`,
    label(4, 18, `${name}: ${formatUtc(nanos(time_ns))}`, { bold: true }),
    ...map.links.flatMap(({ from, to, kind }) => {
      const [a, b] = [places.get(from), places.get(to)];
      if (!a || !b) return [];
      const dash = kind === 'runs_on' || kind === 'member_of' ? ' stroke-dasharray="3 3"' : '';
      const [left, right] = a.x <= b.x ? [a, b] : [b, a];
      const sameColumn = left.x === right.x;
      return [
        line(
          sameColumn ? left.x + width / 2 : left.x + width,
          left.y + NODE_HEIGHT / 2,
          sameColumn ? right.x + width / 2 : right.x,
          right.y + NODE_HEIGHT / 2,
          ink.muted,
          dash,
        ),
      ];
    }),
    ...map.nodes.flatMap((node) => {
      const place = places.get(node.key);
      if (!place) return [];
      const since = map.troubled.get(node.key);
      const bad = since !== undefined && since <= time_ns;
      const style = bad
        ? `fill="${ink.impact}" stroke="${ink.critical}" stroke-width="2"`
        : `fill="${ink.quiet}" stroke="${ink.muted}"`;
      return [
        rect(place.x, place.y, width, NODE_HEIGHT, `rx="4" ${style}`),
        label(
          place.x + 6,
          place.y + 14,
          `${bad ? '✕ ' : ''}${shorten(node.id, Math.floor(width / (bad ? 7.8 : 6.6)))}`,
          {
            bold: bad,
          },
        ),
        label(place.x + 6, place.y + 27, node.kind, { fill: ink.muted }),
      ];
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

export function topologyText({ nodes, links, troubled }: DrawnMap, instants: readonly Instant[]): string {
  const states = instants.map(({ name, time_ns }) => {
    const bad = nodes.filter(({ key }) => (troubled.get(key) ?? time_ns + 1n) <= time_ns).map(({ id }) => id);
    return `${name} (${formatUtc(nanos(time_ns))}): in trouble ${bad.join(', ') || 'nothing recorded'}`;
  });
  const idOf = new Map(nodes.map(({ key, id }) => [key, id]));
  const linkTexts = links.map(({ from, to, kind }) => `${idOf.get(from)} ${kind.replace('_', ' ')} ${idOf.get(to)}`);
  return `${states.join('. ')}. Links: ${linkTexts.join('; ') || 'none recorded'}.`;
}
