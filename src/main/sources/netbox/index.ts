import { fail } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type FileHead, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { headerOf } from './csv-header.ts';
import { looksLikeNetbox, tableOfColumns } from './format.ts';
import { Inventory } from './inventory.ts';
import { loadFile } from './load-file.ts';
import { isAbsent, Paths } from './paths.ts';
import { Topology } from './topology.ts';

/** https://netboxlabs.com/docs/netbox/integrations/rest-api/: racks, their devices and cables. */
export const netbox: Source = {
  id: 'netbox',
  title: 'NetBox export (racks, devices, power, interfaces, cables; JSON of the API or CSV)',
  looks_for: 'records with "url": "…/api/dcim/…", or NetBox columns such as side_a_device,side_a_type,side_a_name',
  detect: (head) => looksLikeNetbox(head.json) || isTable(head),
  // Tables of panels have no distinctive columns, and tables with few columns may look like any other file.
  gather: {
    owns: (path) => /(^|[/_.-])power[-_ ]?panels?\.csv(\.\w+)?$/i.test(path),
    root: (path) => path.split('/').slice(0, -1).join('/'),
  },
  read,
};

function isTable({ text }: FileHead): boolean {
  const header = /^\s*[{[<]/.test(text) ? undefined : headerOf(text);
  if (!header) return false;
  const [, second = ''] = text.split(/\r?\n/, 2);
  const type = second.split(header.delimiter)[header.columns.indexOf('type')] ?? '';
  return tableOfColumns(new Set(header.columns), type) !== undefined;
}

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const builder = new BatchBuilder();
  const inventory = new Inventory();
  const others = new Map<string, number>();
  let bytes = 0;
  let records = 0;
  for (const file of input.files)
    bytes += await loadFile(file, {
      add: (item) => {
        records++;
        inventory.add(item);
      },
      other: (what) => others.set(what, (others.get(what) ?? 0) + 1),
      reject: (at, reason, excerpt) => builder.reject(file.path, at, reason, excerpt),
    });
  if (records === 0 && builder.rowCount === 0)
    fail('netbox.nothing', `${input.name} contains no NetBox record for the topology`, { place: input.name });
  const lost = inventory.settle();
  if (lost.length > 0) others.set('components whose device is unknown or shares its name', lost.length);
  for (const _ of steps(builder, inventory, others)) if (builder.rowCount >= BATCH_ROWS) yield builder.finish(bytes);
  for (const [what, count] of others) builder.remark(`left out: ${count} ${what}`);
  yield builder.finish(bytes);
}

function* steps(builder: BatchBuilder, inventory: Inventory, others: Map<string, number>): Generator<void> {
  const paths = new Paths(inventory);
  // All at once, because links name objects that have no record.
  const links = [...paths.links()];
  const topology = new Topology(builder, inventory);
  for (const table of ['rack', 'device', 'power_panel'] as const)
    for (const entry of inventory.of(table)) yield topology.place(entry);
  for (const table of ['power_feed', 'power_outlet', 'power_port'] as const)
    for (const entry of inventory.of(table)) yield topology.part(entry);
  for (const link of links) yield topology.link(link);
  for (const table of ['rack', 'device', 'power_feed'] as const)
    for (const { item } of inventory.of(table))
      if (isAbsent(item)) count(others, `${table.replace('_', ' ')}s that are ${item.status}`);
  for (const [what, times] of paths.lost) count(others, what, times);
  for (const [what, times] of topology.odd) count(others, `cables from ${what}`, times);
  remarkInlets(builder, inventory);
}

const count = (counts: Map<string, number>, what: string, times = 1): void => {
  counts.set(what, (counts.get(what) ?? 0) + times);
};

/** A PDU with two cords is one entity: the cord of each outlet is not stored. */
function remarkInlets(builder: BatchBuilder, inventory: Inventory): void {
  const inlets = new Map<number, Set<string>>();
  for (const { item, owner } of inventory.of('power_outlet')) {
    if (!owner || !item.inlet) continue;
    const names = inlets.get(owner.number) ?? new Set();
    inlets.set(owner.number, names.add(item.inlet.id || item.inlet.name));
  }
  const several = [...inlets.values()].filter(({ size }) => size > 1).length;
  if (several > 0)
    builder.remark(
      `${several} devices have outlets on different inlets: each inlet is assumed to feed all of their outlets`,
    );
}
