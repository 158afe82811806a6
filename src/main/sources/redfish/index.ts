import { BatchBuilder } from '../../../model/batch-builder.ts';
import { fail } from '../../../model/problem.ts';
import type { RowBatch } from '../../../model/rows.ts';
import { BATCH_ROWS, type FileHead, type Source, type SourceInput } from '../../../model/source.ts';
import { formatUtc, type Nanos } from '../../../model/time.ts';
import { rawText } from '../bytes/json-access.ts';
import { type Json, looksLikeRedfish, textOf } from './format.ts';
import { Machine } from './machine.ts';
import { partsOf } from './parts.ts';
import { readEquipment } from './read-equipment.ts';
import { readEvents } from './read-events.ts';
import { readPower, readSupply } from './read-power.ts';
import { readProcessors } from './read-processors.ts';
import { readEnvironment, readSensors } from './read-sensors.ts';
import { readReports } from './read-telemetry.ts';
import { readFan, readThermal } from './read-thermal.ts';
import { ReadingBook, Sampler } from './reading-book.ts';
import { writeRelations } from './relations.ts';
import { type Resource, ResourceTree } from './resource-tree.ts';
import { sensibleTime } from './times.ts';
import { treeRoot } from './tree-root.ts';
import { status, type Walk } from './walk.ts';

/** A crawl of a management controller, in any of the ways that such crawls are kept, or what it sent by itself. */
export const redfish: Source = {
  id: 'redfish',
  title: 'Redfish resources (crawls, mockups, log entries, events)',
  looks_for: 'JSON with "@odata.id": "/redfish/v1/…", or "Events" with "MessageId"',
  leaves_open: ['zone', 'time', 'device'],
  detect: ({ json }: FileHead) => looksLikeRedfish(json),
  gather: { root: treeRoot },
  read,
};

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const tree = new ResourceTree();
  const remark = (text: string) => builder.remark(text);
  await tree.load(input.files, {
    remark,
    reject: (file, at, reason, excerpt) => builder.reject(file, at, reason, excerpt),
  });
  if (tree.size === 0 && tree.payloads.length === 0 && builder.rowCount === 0)
    fail('redfish.nothing', `${input.name} holds no Redfish resource`, { place: input.name });
  const walk = prepare(tree, input, builder);
  for (const _ of steps(walk)) if (builder.rowCount >= BATCH_ROWS) yield builder.finish(tree.bytes);
  yield builder.finish(tree.bytes);
}

function prepare(tree: ResourceTree, input: SourceInput, builder: BatchBuilder): Walk {
  const remark = (text: string) => builder.remark(text);
  const stem = (input.name.split('/').at(-1) ?? input.name).replace(/(.)\.json(\.\w+)?$/i, '$1');
  const machine = new Machine(tree, input.assume.device ?? stem, remark);
  const zone = zoneOf(tree, input);
  const time_ns = timeOf(tree, input, zone, remark);
  return { tree, machine, book: new ReadingBook(), sampler: new Sampler(builder), builder, time_ns, zone, remark };
}

/** The controller's own offset, where it tells one. */
function zoneOf(tree: ResourceTree, { assume }: SourceInput): string {
  const offsets = tree.ofType('Manager').map(({ doc }) => textOf(doc['DateTimeLocalOffset']));
  return assume.zone ?? offsets.find((offset) => /^[+-]\d\d:\d\d$/.test(offset)) ?? 'UTC';
}

/** When the tree was recorded: what the investigator says, the controller's clock, the time of the files. */
function timeOf(tree: ResourceTree, { files }: SourceInput, zone: string, remark: (text: string) => void): Nanos {
  const [file] = files;
  if (!file) return fail('redfish.nothing', 'there is no file to read');
  if (file.captured_from !== 'given') {
    for (const { id, doc } of tree.ofType('Manager')) {
      const time = sensibleTime(doc['DateTime'], { zone, remark });
      if (time === undefined) continue;
      remark(`readings are taken as of ${formatUtc(time)}, the clock of ${id}`);
      return time;
    }
  }
  const needed = tree.ofType('Sensor', 'Power', 'Thermal', 'Chassis', 'Processor', 'EnvironmentMetrics').length > 0;
  if (needed)
    remark(`no times in the file: taken as recorded at ${formatUtc(file.captured_ns)} (${file.captured_from})`);
  return file.captured_ns;
}

/** The walk, in an order that does not depend on the files; yields where a batch may end. */
function* steps(walk: Walk): Generator<void> {
  const { tree, machine, builder } = walk;
  const parts = partsOf(tree, machine);
  for (const [, thing] of machine.entries()) walk.sampler.entity(thing);
  for (const { id, doc } of tree.ofType('ComputerSystem'))
    if (machine.exact(id)?.kind === 'server') status(walk, machine.of(id), doc, systemOf(walk, id));
  if (tree.ofType('ComputerSystem').length === 0)
    for (const { id, doc } of tree.ofType('Chassis')) status(walk, machine.of(id), doc, chassisOf(walk, id));
  readPower(walk);
  for (const part of parts) {
    if (part.thing.kind === 'psu') readSupply(walk, part);
    else readFan(walk, part);
    yield;
  }
  readThermal(walk);
  readEnvironment(walk);
  readSensors(
    walk,
    parts.filter(({ thing }) => thing.kind === 'psu'),
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

/** Several systems may be one server: their states are told apart. */
const systemOf = ({ tree }: Walk, id: string): Readonly<Record<string, unknown>> =>
  tree.ofType('ComputerSystem').length > 1 ? { system: id.split('/').at(-1) } : {};
