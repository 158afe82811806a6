import { bisectRight } from '../../../base/bisect.ts';
import type { Lane } from '../../../model/contract/index.ts';
import { entityKinds, layers } from '../../../model/entity.ts';
import { laneKinds, QUERIES } from '../../../model/lane-kind.ts';
import { entityKeyOf, growTree, isWithin } from '../tables/row-tree.ts';

export const ROW_LOW = 18;
export const ROW_MIDDLE = 28;
export const ROW_TALL = 48;
/** Beyond this many, even involved lanes wait behind "show more"; lanes of the chain never do. */
const MOST_INVOLVED = 6;

interface Placed {
  readonly y: number;
  readonly height: number;
  readonly layer: string;
}
export interface LayerRow extends Placed {
  readonly kind: 'layer';
  readonly total: number;
  readonly involved: number;
  /** Who is involved is known. */
  readonly isJudged: boolean;
  /** Only what is involved is shown until more is asked for; where nothing is, anywhere, all layers give a glance. */
  readonly hidesQuiet: boolean;
  readonly collapsed: boolean;
  /** Nothing of this layer was recorded: unknown, not healthy. */
  readonly missing: boolean;
}
/** Something that holds others: a rack, a server, or a thing with many lanes. */
export interface GroupRow extends Placed {
  readonly kind: 'group';
  /** Tells it apart from all others of its layer. */
  readonly path: string;
  /** `kind:id`, outermost first: several where each held only the next. */
  readonly entityKeys: readonly string[];
  /** What holds the first of them. */
  readonly within: string | undefined;
  readonly depth: number;
  readonly total: number;
  readonly involved: number;
  readonly isJudged: boolean;
  readonly collapsed: boolean;
}
export interface LaneRow extends Placed {
  readonly kind: 'lane';
  readonly lane: Lane;
  /** How many groups it stands in. */
  readonly depth: number;
  /** The thing's name is written once: on its first lane, or on the group that it is. */
  readonly named: boolean;
}
export interface MoreRow extends Placed {
  readonly kind: 'more';
  readonly hidden: number;
  readonly expanded: boolean;
}
export type Row = LayerRow | GroupRow | LaneRow | MoreRow;

export interface ChainLane {
  readonly lane: string;
  /** Of the step's event: `voltage_sag`. */
  readonly type: string;
  /** Not on the way to the impact: it is marked where its lane is in sight, and brings none into sight. */
  readonly isAside?: boolean;
}

export interface LayoutInput {
  readonly lanes: readonly Lane[];
  readonly missing: readonly string[];
  /** The selected chain, in step order. */
  readonly chain: readonly ChainLane[];
  readonly collapsed: ReadonlySet<string>;
  readonly expanded: ReadonlySet<string>;
  readonly tall: ReadonlySet<string>;
  /** Groups that stand otherwise than they would by themselves, as `foldKey` names them. */
  readonly folded: ReadonlySet<string>;
  /** Lanes that stand on top, whatever their layer. */
  readonly pinned: ReadonlySet<string>;
  readonly search: string;
}

/** The input, with what follows from the chain worked out once. */
interface Context extends LayoutInput {
  /** Lanes of the chain's way to the impact, in step order. */
  readonly steps: readonly string[];
  /** Lanes of all its steps. */
  readonly marked: ReadonlySet<string>;
  /** Things to which only steps aside of the way happened. */
  readonly aside: ReadonlySet<string>;
  /** Metrics of the chain's entities that speak of what happened: `pdu.voltage` beside a `voltage_sag`. */
  readonly companions: ReadonlySet<string>;
  /** Some lane of the case takes part in some incident. */
  readonly hasInvolved: boolean;
}

/** Words that name the thing and not what happened to it. */
const labelKinds: ReadonlySet<string> = new Set([...entityKinds, 'hw']);
const tokensOf = (name: string): readonly string[] =>
  name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => !labelKinds.has(word));

function contextOf(input: LayoutInput): Context {
  const nameTokens = new Map<string, Set<string>>();
  const way = input.chain.filter(({ isAside }) => !isAside);
  for (const { lane, type } of way) {
    const key = lane.replace(/^events:/, '');
    if (key !== lane) nameTokens.set(key, new Set([...(nameTokens.get(key) ?? []), ...tokensOf(type)]));
  }
  const companions = new Set<string>();
  for (const lane of input.lanes) {
    const namesOfEntity = nameTokens.get(entityKeyOf(lane));
    if (namesOfEntity && lane.metric !== '' && tokensOf(lane.metric).some((word) => namesOfEntity.has(word)))
      companions.add(lane.id);
  }
  const hasInvolved = input.chain.length > 0 || input.lanes.some(({ involved }) => involved === true);
  const [steps, marked] = [way.map(({ lane }) => lane), new Set(input.chain.map(({ lane }) => lane))];
  const happenedTo = (ids: ReadonlySet<string>): ReadonlySet<string> =>
    new Set(input.lanes.filter(({ id }) => ids.has(id)).map(entityKeyOf));
  const onWay = happenedTo(new Set(steps));
  const aside = new Set([...happenedTo(marked)].filter((entityKey) => !onWay.has(entityKey)));
  return { ...input, steps, marked, aside, companions, hasInvolved };
}

export interface Layout {
  readonly rows: readonly Row[];
  /** Tops of the rows, for bisecting to the visible ones. */
  readonly tops: Float64Array;
  readonly height: number;
  /** Where the lanes of the chain stand; the group that one is folded into stands in for it. */
  readonly chain: ReadonlyMap<string, Row>;
}

export function matchesSearch(lane: Lane, search: string): boolean {
  if (search === '') return true;
  const text = `${lane.layer} ${lane.entity_kind} ${lane.entity_id} ${lane.metric} ${lane.kind}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Stands where a layer stands, above all of them. */
export const PINNED = 'pinned';

/** What is pinned, then physical order from the bottom up; inside a layer the chain, then the involved, then names. */
export function layoutRows(layoutInput: LayoutInput): Layout {
  const input = contextOf(layoutInput);
  const byLayer = new Map<string, Lane[]>([PINNED, QUERIES, ...layers].map((layer) => [layer, []]));
  for (const lane of input.lanes) {
    const layer = input.pinned.has(lane.id) ? PINNED : lane.layer;
    const list = byLayer.get(layer);
    if (list) list.push(lane);
    else byLayer.set(layer, [lane]);
  }
  const rows: Row[] = [];
  let y = 0;
  for (const [layer, all] of byLayer) {
    const missing = all.length === 0 && input.missing.includes(layer);
    const found = all.filter((lane) => matchesSearch(lane, input.search));
    if (!missing && found.length === 0) continue;
    if (missing && input.search !== '') continue;
    const added = layoutLayer({ layer, found, missing, y }, input);
    for (const row of added) rows.push(row);
    const last = rows.at(-1)!;
    y = last.y + last.height;
  }
  return { rows, tops: Float64Array.from(rows, (row) => row.y), height: y, chain: placeChain(rows, input) };
}

function placeChain(rows: readonly Row[], { marked, lanes }: Context): ReadonlyMap<string, Row> {
  const known = lanes.filter((lane) => marked.has(lane.id));
  const found = new Map<string, Row>();
  for (const row of rows) {
    if (row.kind === 'lane' && marked.has(row.lane.id)) found.set(row.lane.id, row);
    if (row.kind !== 'group' || !row.collapsed) continue;
    for (const lane of known) if (lane.layer === row.layer && isWithin(lane, row.path)) found.set(lane.id, row);
  }
  return found;
}

interface LayerInput {
  readonly layer: string;
  readonly found: readonly Lane[];
  readonly missing: boolean;
  readonly y: number;
}

function layoutLayer({ layer, found, missing, y }: LayerInput, input: Context): Row[] {
  const isPinned = layer === PINNED || layer === QUERIES;
  const expanded = isPinned || input.expanded.has(layer) || input.search !== '';
  const involved = isPinned ? found.length : found.filter((lane) => isInvolved(lane, input)).length;
  const isJudged = found.every((lane) => lane.involved !== null);
  // A layer that nothing points at is one line until asked for.
  const hidesQuiet = isJudged && input.hasInvolved;
  const collapsed = !missing && (hidesQuiet && involved === 0 ? !expanded : input.collapsed.has(layer));
  const about = { total: found.length, involved, isJudged, hidesQuiet, collapsed, missing };
  const rows: Row[] = [{ kind: 'layer', layer, y, height: ROW_LOW, ...about }];
  if (collapsed || missing) return rows;
  const ordered = orderLanes(found, input);
  const shown = expanded ? ordered : hidesQuiet ? ordered.filter(isNotable(input)) : firstGlance(ordered);
  let top = y + ROW_LOW;
  const tree = { layer, isFlat: isPinned, isInvolved: (lane: Lane) => isInvolved(lane, input), folded: input.folded };
  let entity = '';
  for (const branch of growTree(shown, found, { ...tree, unfolds: !expanded || input.search !== '' })) {
    if (branch.kind === 'group') {
      rows.push({ ...branch, isJudged, layer, y: top, height: ROW_LOW });
      entity = branch.entityKeys.at(-1) ?? '';
      top += ROW_LOW;
      continue;
    }
    const { lane, depth } = branch;
    const height = heightOf(lane, input);
    const key = entityKeyOf(lane);
    rows.push({ kind: 'lane', layer, lane, depth, y: top, height, named: key !== entity });
    entity = key;
    top += height;
  }
  const hidden = ordered.length - shown.length;
  const foldable = input.expanded.has(layer) && input.search === '' && (involved > 0 || !hidesQuiet);
  if (hidden > 0 || foldable)
    rows.push({ kind: 'more', layer, y: top, height: ROW_LOW, hidden, expanded: hidden === 0 });
  return rows;
}

const isNotable =
  (input: Context) =>
  (lane: Lane, at: number): boolean =>
    isInvolved(lane, input) &&
    ((at < MOST_INVOLVED && !input.aside.has(entityKeyOf(lane))) || isOfIncident(lane, input));

/** While nobody knows yet who is involved: the things with the worst events. */
function firstGlance(lanes: readonly Lane[]): readonly Lane[] {
  const worst = lanes.toSorted((a, b) => (a.worst_severity ?? 4) - (b.worst_severity ?? 4)).slice(0, MOST_INVOLVED);
  const selectedRows = new Set(worst);
  return lanes.filter((lane) => selectedRows.has(lane));
}

const isOfIncident = (lane: Lane, { steps, companions }: Context): boolean =>
  steps.includes(lane.id) || companions.has(lane.id);
const isInvolved = (lane: Lane, context: Context): boolean => lane.involved === true || isOfIncident(lane, context);

/** Steps of the chain are tall enough for a badge over the event; the rest of what they happened to, for a line. */
function heightOf(lane: Lane, context: Context): number {
  const isStep = context.marked.has(lane.id);
  if (context.tall.has(lane.id) !== isStep) return ROW_TALL;
  // A band says all it has to say on one line.
  if (lane.kind === 'state') return ROW_LOW;
  const key = `:${entityKeyOf(lane)}`;
  const ofChain = context.steps.some((id) => id.endsWith(key) || id.includes(`${key}:`));
  return isStep || (isInvolved(lane, context) && ofChain) ? ROW_MIDDLE : ROW_LOW;
}

/** Where events stand in a lane: below the badges where there is room for both. */
export const eventLine = (y: number, height: number): number => (height >= ROW_TALL ? y + height - 14 : y + height / 2);
export const badgeLine = (y: number, height: number): number => (height >= ROW_TALL ? y + 12 : y + height / 2);

const names = new Intl.Collator('en', { numeric: true });

function orderLanes(lanes: readonly Lane[], input: Context): Lane[] {
  const rank = new Map<string, number>();
  for (const lane of lanes) {
    const key = entityKeyOf(lane);
    const step = input.steps.indexOf(lane.id);
    const own = step >= 0 ? step : isInvolved(lane, input) ? 1000 : 2000;
    rank.set(key, Math.min(rank.get(key) ?? 3000, own));
  }
  const rankOf = (lane: Lane): number => {
    const entity = rank.get(entityKeyOf(lane)) ?? 3000;
    return isInvolved(lane, input) ? entity : 2000;
  };
  return [...lanes].sort(
    (a, b) =>
      rankOf(a) - rankOf(b) ||
      names.compare(a.entity_id, b.entity_id) ||
      names.compare(a.entity_kind, b.entity_kind) ||
      laneKinds.indexOf(a.kind) - laneKinds.indexOf(b.kind) ||
      names.compare(a.metric, b.metric),
  );
}

/** Indexes of the first row in view and of the one after the last. */
export function visibleRange(layout: Layout, top: number, height: number): readonly [number, number] {
  const first = Math.max(0, bisectRight(layout.tops, top) - 1);
  const end = bisectRight(layout.tops, top + height);
  return [first, end];
}

export function rowAt(layout: Layout, y: number): Row | undefined {
  if (y < 0 || y >= layout.height) return undefined;
  return layout.rows[bisectRight(layout.tops, y) - 1];
}

/** Where a lane's marks stand; the layer's own row stands in for a lane that is folded away. */
export function rowOfLane(layout: Layout, laneId: string, layer: string): Row | undefined {
  const own = layout.chain.get(laneId);
  return own ?? layout.rows.find((row) => row.kind === 'layer' && row.layer === layer && row.collapsed);
}
