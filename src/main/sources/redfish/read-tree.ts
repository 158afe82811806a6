import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { rawText } from '../bytes/json-access.ts';
import type { EmissionMemory } from './emission-memory.ts';
import { type Json, textOf } from './format.ts';
import { Machine } from './machine.ts';
import { partsOf } from './parts.ts';
import { readEquipment } from './read-equipment.ts';
import { readEvents } from './read-events.ts';
import { readPower, readSupply } from './read-power.ts';
import { readProcessors } from './read-processors.ts';
import { readEnvironment, readSensors } from './read-sensors.ts';
import { readReports } from './read-telemetry.ts';
import { readFan, readThermal } from './read-thermal.ts';
import { ReadingBook, Sampler } from './readings.ts';
import { machines, redfishEntityKey } from './redfish-entity.ts';
import { writeRelations } from './relations.ts';
import type { Resource, ResourceTree } from './resource-tree.ts';
import { each, status, type Walk } from './walk.ts';

export interface TreeReading {
  readonly tree: ResourceTree;
  readonly builder: BatchBuilder;
  /** Name of the machine if the tree has none. */
  readonly fallback: string;
  /** When the tree was recorded: the time of records without one. */
  readonly time_ns: bigint;
  /** Zone of times without one. */
  readonly zone: string;
  /** Address of the polled service; absent for files. */
  readonly service?: string;
  /** What was written before for the same tree. */
  readonly memory: EmissionMemory;
}

/** Reads a whole tree, in an order that does not depend on its origin; yields where a batch may end. */
export function* readTree({ tree, builder, fallback, time_ns, zone, service, memory }: TreeReading): Generator<void> {
  const remark = (text: string) => builder.remark(text);
  const machine = new Machine(tree, fallback, remark);
  const sampler = new Sampler(builder, memory, tree);
  yield* steps({
    tree,
    machine,
    book: new ReadingBook(),
    sampler,
    memory,
    builder,
    time_ns,
    place: '',
    service,
    zone,
    remark,
  });
}

function* steps(walk: Walk): Generator<void> {
  const { tree, machine, builder } = walk;
  const parts = partsOf(tree, machine, walk.memory.partNames);
  for (const [, entity] of machine.entries()) walk.sampler.entity(entity);
  for (const [{ id, doc }, now] of each(walk, 'ComputerSystem'))
    if (machine.exact(id)?.kind === 'server') status(now, machine.of(id), doc, systemOf(walk, id));
  // A machine with a system reports its status there.
  const memory = new Set(tree.ofType('ComputerSystem').map(({ id }) => redfishEntityKey(machine.of(id))));
  for (const [{ id, doc }, now] of each(walk, 'Chassis')) {
    const entity = machine.of(id);
    if (memory.size === 0 || (machines.has(entity.kind) && !memory.has(redfishEntityKey(entity))))
      status(now, entity, doc, chassisOf(walk, id));
  }
  readPower(walk);
  for (const part of parts) {
    if (part.entity.kind === 'psu') readSupply(walk, part);
    else readFan(walk, part);
    yield;
  }
  readThermal(walk);
  readEnvironment(walk);
  readSensors(
    walk,
    parts.filter(({ entity }) => entity.kind === 'psu'),
  );
  readEquipment(walk);
  readProcessors(walk);
  yield;
  yield* walk.book.write(walk.sampler);
  yield* readReports(walk);
  const reject = ({ file }: Resource, reason: string, entry: Json) =>
    builder.reject(file.path, 0, reason, rawText(entry));
  yield* readEvents(walk, reject);
  writeRelations(walk, parts);
  yield;
}

const chassisOf = ({ tree }: Walk, id: string): Readonly<Record<string, unknown>> =>
  tree.ofType('Chassis').length > 1 ? { chassis: id.split('/').at(-1) } : {};

/** Several systems may be one server: this attribute separates their states. */
const systemOf = ({ tree }: Walk, id: string): Readonly<Record<string, unknown>> =>
  tree.ofType('ComputerSystem').length > 1 ? { system: id.split('/').at(-1) } : {};

/** The controller's own offset for times without one, if it reports it. */
export function zoneOf(tree: ResourceTree): string {
  const offsets = tree.ofType('Manager').map(({ doc }) => textOf(doc['DateTimeLocalOffset']));
  return offsets.find((offset) => /^[+-]\d\d:\d\d$/.test(offset)) ?? 'UTC';
}
