import type { Lane } from '../../../model/contract/index.ts';

/** An entity with more lanes than this gets a group of its own. */
const MOST_LOOSE = 3;
/** A layer with fewer lanes is fully expanded; in a larger one, groups that are not involved are collapsed. */
const MOST_OPEN = 40;

/** Separates the names of a path; no name contains it. */
const BETWEEN = '\u001f';

export interface TreeInput {
  readonly layer: string;
  /** No groups, even if containers are known. */
  readonly isFlat: boolean;
  /** Every group is expanded unless the investigator collapsed it. */
  readonly unfolds: boolean;
  /** Groups that the investigator expanded or collapsed against the default. */
  readonly folded: ReadonlySet<string>;
  readonly isInvolved: (lane: Lane) => boolean;
}

interface Group {
  readonly kind: 'group';
  readonly path: string;
  readonly entityKeys: readonly string[];
  /** What people call each of them. */
  readonly names: readonly string[];
  /** The container of the first entity. */
  readonly within: string | undefined;
  readonly depth: number;
  readonly total: number;
  readonly involved: number;
  readonly collapsed: boolean;
}
interface Leaf {
  readonly kind: 'lane';
  readonly lane: Lane;
  readonly depth: number;
}

interface Branch {
  readonly entityKeys: readonly string[];
  readonly lanes: Lane[];
  readonly below: Map<string, Branch>;
}

/** Entity key of a lane. */
export const entityKeyOf = (lane: Lane): string => `${lane.entity_kind}:${lane.entity_id}`;

/** What people call the entity of a lane; its id where nothing else is known. */
export const laneEntity = ({ name, entity_id }: Pick<Lane, 'name' | 'entity_id'>): string => name ?? entity_id;

/** Key of a group in the set of toggled groups. */
export const foldKey = (layer: string, path: string): string => `${layer}${BETWEEN}${path}`;

const pathOf = (lane: Lane): readonly string[] => [...lane.within, entityKeyOf(lane)];

/** Whether a lane belongs to the group of this path. */
export const isWithin = (lane: Lane, path: string): boolean =>
  `${pathOf(lane).join(BETWEEN)}${BETWEEN}`.startsWith(`${path}${BETWEEN}`);

/**
 * Groups lanes by the container of their entities: rack, server, GPU. The order stays: a group takes the place of its
 * first lane. Without containment links the result is a plain list.
 * @param all all lanes of the layer: a group counts hidden lanes too
 */
export function growTree(shown: readonly Lane[], all: readonly Lane[], input: TreeInput): readonly (Group | Leaf)[] {
  if (input.isFlat || shown.every(({ within }) => within.length === 0))
    return shown.map((lane) => ({ kind: 'lane', lane, depth: 0 }));
  const root = plant(shown);
  const counts = countLanes(all, input);
  const names = new Map(all.map((lane) => [entityKeyOf(lane), laneEntity(lane)]));
  const grown: (Group | Leaf)[] = [];
  const small = shown.length <= MOST_OPEN;
  const lanesOf = (branch: Branch, depth: number): void => {
    for (const lane of branch.lanes) grown.push({ kind: 'lane', lane, depth });
  };
  const grow = (parentBranch: Branch, depth: number): void => {
    const branch = narrow(parentBranch);
    if (branch.below.size === 0 && branch.lanes.length <= MOST_LOOSE && branch === parentBranch)
      return lanesOf(branch, depth);
    const path = branch.entityKeys.join(BETWEEN);
    const { total, involved } = counts.get(path) ?? { total: 0, involved: 0 };
    const isOpen = input.unfolds || small || involved > 0;
    const collapsed = isOpen === input.folded.has(foldKey(input.layer, path));
    const entityKeys = branch.entityKeys.slice(parentBranch.entityKeys.length - 1);
    const within = parentBranch.entityKeys.at(-2);
    const named = entityKeys.map((key) => names.get(key) ?? key.slice(key.indexOf(':') + 1));
    grown.push({ kind: 'group', path, entityKeys, names: named, within, depth, total, involved, collapsed });
    if (collapsed) return;
    lanesOf(branch, depth + 1);
    for (const next of branch.below.values()) grow(next, depth + 1);
  };
  for (const branch of root.below.values()) grow(branch, 0);
  return grown;
}

function plant(lanes: readonly Lane[]): Branch {
  const root: Branch = { entityKeys: [], lanes: [], below: new Map() };
  for (const lane of lanes) {
    let branch = root;
    for (const entityKey of pathOf(lane)) {
      let next = branch.below.get(entityKey);
      if (!next) {
        next = { entityKeys: [...branch.entityKeys, entityKey], lanes: [], below: new Map() };
        branch.below.set(entityKey, next);
      }
      branch = next;
    }
    branch.lanes.push(lane);
  }
  return root;
}

/** A container whose only content is another container shares its row. */
function narrow(branch: Branch): Branch {
  const [only, ...others] = branch.below.values();
  const shares = branch.lanes.length === 0 && only !== undefined && others.length === 0 && only.below.size > 0;
  return shares ? narrow(only) : branch;
}

interface Count {
  total: number;
  involved: number;
}

function countLanes(lanes: readonly Lane[], { isInvolved }: TreeInput): ReadonlyMap<string, Count> {
  const counts = new Map<string, Count>();
  for (const lane of lanes) {
    const involved = isInvolved(lane) ? 1 : 0;
    let path = '';
    for (const entityKey of pathOf(lane)) {
      path = path === '' ? entityKey : `${path}${BETWEEN}${entityKey}`;
      const count = counts.get(path);
      if (count) {
        count.total++;
        count.involved += involved;
      } else counts.set(path, { total: 1, involved });
    }
  }
  return counts;
}
