import { placeKeys } from '../../../../model/telemetry/place-attributes.ts';
import type { Json } from '../../bytes/json-access.ts';
import { type FieldRole, sortFields } from '../../log-record/fields.ts';

/** What the value of a member is, as far as its meaning depends on it. */
export const PLAIN = 0;
export const NULL = 1;
export const ARRAY = 2;
/** An object that stays an attribute. */
export const OBJECT = 3;
/** An object whose members are fields of the record. */
export const ENTERED = 4;
export type ValueClass = typeof PLAIN | typeof NULL | typeof ARRAY | typeof OBJECT | typeof ENTERED;

/** Members of JSON lines in their order, up to some member: a path through a tree of them. */
export class ShapeNode {
  /** Leaves before this one. */
  readonly slots: number;
  readonly before: ShapeNode | undefined;
  readonly key: string;
  readonly value: ValueClass | -1;
  /** Names of the objects around, as prefix of names; and how many they are. */
  readonly prefix: string;
  readonly depth: number;
  readonly edges: ShapeEdge[] = [];
  /** Behind the end of the object that was entered. */
  exit: ShapeNode | undefined;
  /** Of a line that ends here; null: the general reader takes it; undefined: not known yet. */
  plan: ShapePlan | null | undefined;

  constructor(
    before: ShapeNode | undefined,
    {
      key,
      value,
      prefix,
      depth,
    }: { readonly key: string; readonly value: ValueClass | -1; readonly prefix: string; readonly depth: number },
  ) {
    this.before = before;
    this.key = key;
    this.value = value;
    this.prefix = prefix;
    this.depth = depth;
    this.slots = (before?.slots ?? 0) + (value === -1 || value === ENTERED ? 0 : 1);
  }
}

/** A key that follows a node, and the nodes that follow by the class of its value. */
export interface ShapeEdge {
  readonly key: string;
  /** Its bytes and the closing quote. */
  readonly bytes: Uint8Array;
  readonly keyWords: DataView;
  readonly next: (ShapeNode | undefined)[];
}

/** An attribute of the record: the slot of its value, and its name as JSON with the colon. */
export interface PlannedAttribute {
  readonly slot: number;
  readonly name: Uint8Array;
}

/** Where in a line of some shape the values of a log record are: slots, -1 for none. */
export interface ShapePlan {
  /** Differs between plans. */
  readonly id: number;
  readonly slotOf: Readonly<Record<FieldRole, number>>;
  readonly resource: readonly { readonly name: string; readonly slot: number }[];
  readonly attributes: readonly PlannedAttribute[];
  /** Of the attributes, those that name places. */
  readonly places: readonly { readonly name: string; readonly slot: number }[];
  /** Names of fields that become attributes where their value is no time, trace id and so on. */
  readonly kept: Readonly<Partial<Record<FieldRole, Uint8Array>>>;
  /** Has the members that a line of this shape has. */
  readonly example: Json;
}

const encoder = new TextEncoder();
const nameBytes = (name: string): Uint8Array => encoder.encode(`${JSON.stringify(name)}:`);
const roleNames: readonly FieldRole[] = [
  'time',
  'observed',
  'level',
  'severity_number',
  'body',
  'logger',
  'trace',
  'span',
  'traceparent',
  'flags',
  'rank',
  'request',
  'exception',
];

let plans = 0;

/**
 * What the fields of a line with these members mean: an example of them is sorted as any record is. null: the meaning depends on more than
 * the members.
 */
export function planOf(last: ShapeNode): ShapePlan | null {
  const { example, nulls, values } = exampleOf(last);
  // Perhaps an envelope around a line.
  if (!example || typeof example.log === 'string' || typeof example.line === 'string') return null;
  const { roles, resource, rest } = sortFields(example);
  const names = Object.keys(rest);
  // A member that lost its place, or that replaced another one.
  if (roles.size + Object.keys(resource).length + names.length !== last.slots) return null;
  const slotOf = Object.fromEntries(roleNames.map((role) => [role, -1])) as Record<FieldRole, number>;
  const kept: Partial<Record<FieldRole, Uint8Array>> = {};
  for (const [role, { name, value }] of roles) {
    if (typeof value !== 'string') return null;
    slotOf[role] = values.indexOf(value);
    kept[role] = nameBytes(name);
  }
  if (slotOf.time < 0 || (slotOf.body < 0 && 'err' in example)) return null;
  if ((slotOf.rank >= 0 && 'rank' in rest) || (slotOf.request >= 0 && 'request.id' in rest)) return null;
  // A body may state such members, which replace those of the record.
  if (names.some((name) => name.startsWith('training.'))) return null;
  let nullsSeen = 0;
  const slots = names.map((name) => ({
    name,
    slot: rest[name] === null ? nulls[nullsSeen++]! : values.indexOf(rest[name]),
  }));
  const attributes = slots.map(({ name, slot }) => ({ slot, name: nameBytes(name) }));
  const named = slotOf.rank < 0 ? slots : [...slots, { name: 'rank', slot: slotOf.rank }];
  const places = Object.entries(resource).map(([name, value]) => ({ name, slot: values.indexOf(value) }));
  // bunyan's `name` is the application, not a logger of it.
  if ('v' in example && 'pid' in example && 'hostname' in example && !resource['service.name'] && slotOf.logger >= 0) {
    places.push({ name: 'service.name', slot: slotOf.logger });
    slotOf.logger = -1;
  }
  return {
    id: plans++,
    slotOf,
    resource: places,
    attributes,
    places: named.filter(({ name }) => placeKeys.includes(name)),
    kept,
    example,
  };
}

/** An object with these members, each plain value unlike all others. undefined: JSON would order or join the members otherwise. */
function exampleOf(last: ShapeNode): {
  readonly example: Json | undefined;
  readonly values: readonly unknown[];
  readonly nulls: readonly number[];
} {
  const path: ShapeNode[] = [];
  for (let node: ShapeNode | undefined = last; node?.before; node = node.before) path.unshift(node);
  const example: Record<string, unknown> = {};
  const around: Record<string, unknown>[] = [example];
  const values: unknown[] = [];
  const nulls: number[] = [];
  for (const { key, value } of path) {
    if (value === -1) {
      around.pop();
      continue;
    }
    const object = around.at(-1)!;
    if (Object.hasOwn(object, key) || /^\d/.test(key) || key === '__proto__') {
      return { example: undefined, values, nulls };
    }
    const made = value === PLAIN ? `value ${values.length}` : value === NULL ? null : value === ARRAY ? [] : {};
    object[key] = made;
    if (value === ENTERED) around.push(made as Record<string, unknown>);
    else {
      if (value === NULL) nulls.push(values.length);
      values.push(made);
    }
  }
  return { example, values, nulls };
}
