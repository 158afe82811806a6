import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { MetricName } from '../../../model/telemetry/metric.ts';
import type { EmissionMemory } from './emission-memory.ts';
import { isObject, type Json, linksOf, normalizeId, numberOf, objectOf, textOf } from './format.ts';
import type { Machine } from './machine.ts';
import type { Quantity } from './quantity.ts';
import { RANK, type ReadingBook, type Sampler } from './readings.ts';
import { type RedfishEntity, redfishEntityKey } from './redfish-entity.ts';
import type { Resource, ResourceTree } from './resource-tree.ts';
import { isMeasuring } from './thresholds.ts';

/** The state that all steps of reading a tree share. */
export interface Walk {
  readonly tree: ResourceTree;
  readonly machine: Machine;
  readonly book: ReadingBook;
  readonly sampler: Sampler;
  readonly memory: EmissionMemory;
  readonly builder: BatchBuilder;
  /** When the tree was recorded; within `each`, when that resource was requested. */
  readonly time_ns: bigint;
  /** Address of the resource that is read; '' for the tree as a whole. */
  readonly place: string;
  /** Address of the polled service; undefined for a file. */
  readonly service: string | undefined;
  /** Zone of times without one. */
  readonly zone: string;
  readonly remark: (text: string) => void;
}

/** The walk at a resource, with the time of its request. */
export const at = (walk: Walk, resource: Resource | undefined): Walk =>
  resource === undefined ? walk : { ...walk, place: resource.id, time_ns: resource.time_ns ?? walk.time_ns };

/** The resources of some types in order, each with the walk at the time of its request. */
export function* each(walk: Walk, ...types: readonly string[]): Generator<readonly [Resource, Walk]> {
  for (const resource of walk.tree.ofType(...types)) yield [resource, at(walk, resource)];
}

export const of = (metric: MetricName | (string & {}), unit: string, counter = false): Quantity => ({
  metric,
  unit,
  ...(counter ? { counter } : {}),
});

interface ExcerptOptions {
  /** Where in the circuit: input or output. */
  readonly side?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** The sensor is certainly about this entity; otherwise the sensor's own statement takes precedence. */
  readonly sure?: boolean;
  /** Key of the reading if it names no sensor and other resources report the same. */
  readonly key?: string;
  /** Path in the resource, for one item of a list. */
  readonly member?: string;
}

/** A reading inside another resource: a number, or `{DataSourceUri, Reading}` that repeats a sensor. */
export function excerpt(
  walk: Walk,
  entity: RedfishEntity,
  quantity: Quantity,
  value: unknown,
  options: ExcerptOptions = {},
): void {
  const doc = objectOf(value);
  const source = normalizeId(textOf(doc['DataSourceUri']));
  const { side, attributes = {} } = options;
  const member = options.member ?? [quantity.metric, side].filter(Boolean).join('/');
  const own = `${walk.place}#/${member}\n${redfishEntityKey(entity)} ${quantity.metric} ${side ?? ''} ${JSON.stringify(attributes)}`;
  const key = source || (options.key ?? own);
  if (source !== '' && options.sure) walk.book.claim(key, entity, quantity, side);
  const reading = numberOf(isObject(value) ? doc['Reading'] : value);
  // If the sensor itself reports that it measures nothing, a copy of its number does not count.
  const sensor = source === '' ? undefined : walk.tree.get(source);
  if (reading === undefined || (sensor && !isMeasuring(sensor.doc))) return;
  walk.book.add(key, RANK.excerpt, {
    entity,
    quantity,
    value: reading,
    time_ns: walk.time_ns,
    attributes: { ...(source ? { sensor: source.split('/').at(-1) } : {}), ...(side ? { side } : {}), ...attributes },
  });
}

const health: Readonly<Record<string, number>> = { OK: 0, Warning: 1, Critical: 2 };

/** `Status` as `hw.present` and `hw.status`; null and unknown words are ignored. */
export function status(
  walk: Walk,
  entity: RedfishEntity,
  doc: Json,
  attributes: Readonly<Record<string, unknown>> = {},
): void {
  const { State, Health } = objectOf(doc['Status']);
  const { time_ns, place } = walk;
  if (typeof State === 'string' && State !== '') {
    const value = State === 'Absent' ? 0 : 1;
    walk.sampler.sample({ entity, quantity: of('hw.present', '1'), value, time_ns, attributes, place });
    if (value === 0) return;
  }
  healthSample(walk, entity, Health, time_ns, attributes);
}

/** A word of `Status.Health` as a sample. */
export function healthSample(
  walk: Walk,
  entity: RedfishEntity,
  word: unknown,
  time_ns: bigint,
  attributes: Readonly<Record<string, unknown>> = {},
): void {
  if (typeof word !== 'string' || !Object.hasOwn(health, word)) return;
  const value = health[word]!;
  walk.sampler.sample({ entity, quantity: of('hw.status', '1'), value, time_ns, attributes, place: walk.place });
}

/** `Chassis/1` from the address of any resource in it. */
export const chassisId = (id: string): string => /^(.*?\/Chassis\/[^/]+)/.exec(id)?.[1] ?? id;

/**
 * The single part that a sensor names (several count as none), or the single machine, which may differ from the machine
 * that contains the sensor: a rack manager shows the sensors of its sleds.
 */
export function related(walk: Walk, doc: Json): RedfishEntity | undefined {
  const entities = new Map<string, RedfishEntity>();
  for (const id of linksOf(doc['RelatedItem'])) {
    const entity = walk.machine.exact(id);
    if (entity) entities.set(redfishEntityKey(entity), entity);
  }
  const isWhole = ({ kind }: RedfishEntity) => kind === 'server' || kind === 'rack';
  const parts = [...entities.values()].filter((entity) => !isWhole(entity));
  const isOfMachine = isWhole(walk.machine.of(walk.place));
  const [entity, ...others] = parts.length === 0 && isOfMachine ? entities.values() : parts;
  return others.length === 0 ? entity : undefined;
}
