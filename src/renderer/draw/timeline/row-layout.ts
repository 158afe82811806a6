import { bisectRight } from '../../../base/bisect.ts';
import type { Lane } from '../../../model/contract/index.ts';
import { entityKinds, layers } from '../../../model/entity.ts';
import { laneKinds, QUERIES } from '../../../model/lane-kind.ts';
import { entityKeyOf, growTree, isWithin, laneEntity } from '../tables/row-tree.ts';

export const ROW_LOW = 18;
export const ROW_MIDDLE = 28;
export const ROW_TALL = 48;
/** Beyond this many, involved lanes are under "show more"; lanes of the chain never are. */
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
  /** Whether the involved entities are known yet. */
  readonly isJudged: boolean;
  /** Only involved lanes are shown; if no lane is involved, each layer shows its first lanes. */
  readonly hidesQuiet: boolean;
  readonly collapsed: boolean;
  /** Nothing of this layer was recorded: unknown, not healthy. */
  readonly missing: boolean;
}
/** A container: a rack, a server, or an entity with many lanes. */
export interface GroupRow extends Placed {
  readonly kind: 'group';
  /** Unique within its layer. */
  readonly path: string;
  /** Entity keys, outermost first: several if each contained only the next. */
  readonly entityKeys: readonly string[];
  /** What people call each of them. */
  readonly names: readonly string[];
  /** The container of the first entity. */
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
  /** Nesting depth in groups. */
  readonly depth: number;
  /** The name of the entity is shown once: on its first lane, or on its group. */
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
  /** Type of the step's event, for example `voltage_sag`. */
  readonly type: string;
  /** A step beside the path to the impact: marked in a visible lane, but it does not make its lane visible. */
  readonly isAside?: boolean;
}

/** The metric of an entity that a hypothesis is about. */
export interface CauseMetric {
  readonly entityKey: string;
  readonly metric: string;
}

export interface LayoutInput {
  readonly lanes: readonly Lane[];
  readonly missing: readonly string[];
  /** The selected chain, in step order. */
  readonly chain: readonly ChainLane[];
  readonly collapsed: ReadonlySet<string>;
  readonly expanded: ReadonlySet<string>;
  readonly tall: ReadonlySet<string>;
  /** Groups toggled against the default, by `foldKey`. */
  readonly folded: ReadonlySet<string>;
  /** Lanes pinned to the top, from any layer. */
  readonly pinned: ReadonlySet<string>;
  readonly search: string;
  /** What the leading hypothesis is about, if it is a metric: its lane is one of the incident. */
  readonly cause?: CauseMetric | null;
  /** Which lanes each layer shows before it is expanded; `involved` if left out. */
  readonly level?: LaneLevel;
  /** The lane of the selected step: shown whatever is folded. */
  readonly revealed?: string | null;
}

/** Only the lanes of the chain; those of involved entities; every lane. */
export type LaneLevel = 'chain' | 'involved' | 'all';

/** The input, with values derived from the chain once. */
interface Context extends LayoutInput {
  /** Lanes of the path to the impact, in step order. */
  readonly steps: readonly string[];
  /** Lanes of all steps. */
  readonly marked: ReadonlySet<string>;
  /** Entities with steps beside the path only. */
  readonly aside: ReadonlySet<string>;
  /** Metrics of chain entities that match the event, for example `pdu.voltage` for a `voltage_sag`, and the metric of the cause. */
  readonly companions: ReadonlySet<string>;
  /** Whether any lane of the case is involved in an incident. */
  readonly hasInvolved: boolean;
}

/** Parts of a metric name that name the entity, not the measurement. */
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
    if (input.cause?.metric === lane.metric && input.cause.entityKey === entityKeyOf(lane)) companions.add(lane.id);
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
  /** Tops of the rows, for a binary search of the visible ones. */
  readonly tops: Float64Array;
  readonly height: number;
  /** Row of each lane of the chain, or of the group into which it is collapsed. */
  readonly chain: ReadonlyMap<string, Row>;
}

export function matchesSearch(lane: Lane, search: string): boolean {
  if (search === '') return true;
  const text =
    `${lane.layer} ${lane.entity_kind} ${lane.entity_id} ${lane.name ?? ''} ${lane.metric} ${lane.kind}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Pseudo-layer above all layers. */
export const PINNED = 'pinned';

/** Pinned lanes, then layers in physical order from the bottom up; in a layer: chain, involved lanes, then by name. */
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
  const expanded = isPinned || input.level === 'all' || input.expanded.has(layer) || input.search !== '';
  const isRevealing = found.some(({ id }) => id === input.revealed);
  const involved = isPinned ? found.length : found.filter((lane) => isInvolved(lane, input)).length;
  const isJudged = found.every((lane) => lane.involved !== null);
  // A layer without involved lanes is one line until it is expanded.
  const hidesQuiet = isJudged && input.hasInvolved;
  const isFolded = hidesQuiet && involved === 0 ? !expanded : input.collapsed.has(layer);
  const collapsed = !missing && isFolded && !isRevealing;
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
  const foldable =
    input.expanded.has(layer) && input.level !== 'all' && input.search === '' && (involved > 0 || !hidesQuiet);
  if (hidden > 0 || foldable)
    rows.push({ kind: 'more', layer, y: top, height: ROW_LOW, hidden, expanded: hidden === 0 });
  return rows;
}

const isNotable =
  (input: Context) =>
  (lane: Lane, at: number): boolean =>
    lane.id === input.revealed ||
    (input.level === 'chain' && isOfIncident(lane, input)) ||
    (input.level !== 'chain' && isInvolved(lane, input) && isAmongFirst(lane, at, input));

const isAmongFirst = (lane: Lane, at: number, input: Context): boolean =>
  (at < MOST_INVOLVED && !input.aside.has(entityKeyOf(lane))) || isOfIncident(lane, input);

/** Until the involved lanes are known: the entities with the most severe events. */
function firstGlance(lanes: readonly Lane[]): readonly Lane[] {
  const worst = lanes.toSorted((a, b) => (a.worst_severity ?? 4) - (b.worst_severity ?? 4)).slice(0, MOST_INVOLVED);
  const selectedRows = new Set(worst);
  return lanes.filter((lane) => selectedRows.has(lane));
}

const isOfIncident = (lane: Lane, { steps, companions }: Context): boolean =>
  steps.includes(lane.id) || companions.has(lane.id);
const isInvolved = (lane: Lane, context: Context): boolean => lane.involved === true || isOfIncident(lane, context);

/** Chain lanes are tall enough for a badge over the event; other lanes of their entities for a line. */
function heightOf(lane: Lane, context: Context): number {
  const isStep = context.marked.has(lane.id);
  if (context.tall.has(lane.id) !== isStep) return ROW_TALL;
  // A band needs only one line.
  if (lane.kind === 'state') return ROW_LOW;
  const key = `:${entityKeyOf(lane)}`;
  const ofChain = context.steps.some((id) => id.endsWith(key) || id.includes(`${key}:`));
  return isStep || (isInvolved(lane, context) && ofChain) ? ROW_MIDDLE : ROW_LOW;
}

/** y of the events in a lane: below the badges if there is room for both. */
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
      names.compare(laneEntity(a), laneEntity(b)) ||
      names.compare(a.entity_kind, b.entity_kind) ||
      laneKinds.indexOf(a.kind) - laneKinds.indexOf(b.kind) ||
      names.compare(a.metric, b.metric),
  );
}

/** Indexes of the first visible row and of one past the last. */
export function visibleRange(layout: Layout, top: number, height: number): readonly [number, number] {
  const first = Math.max(0, bisectRight(layout.tops, top) - 1);
  const end = bisectRight(layout.tops, top + height);
  return [first, end];
}

export function rowAt(layout: Layout, y: number): Row | undefined {
  if (y < 0 || y >= layout.height) return undefined;
  return layout.rows[bisectRight(layout.tops, y) - 1];
}

/** Row of a lane's marks; the row of its layer if the lane is collapsed. */
export function rowOfLane(layout: Layout, laneId: string, layer: string): Row | undefined {
  const own = layout.chain.get(laneId);
  return own ?? layout.rows.find((row) => row.kind === 'layer' && row.layer === layer && row.collapsed);
}
