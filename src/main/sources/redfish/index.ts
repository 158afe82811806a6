import { fail } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type FileHead, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { formatUtc, type Nanos } from '../../../model/time.ts';
import { EmissionMemory } from './emission-memory.ts';
import { looksLikeRedfish, normalizeId, textOf } from './format.ts';
import { readTree, zoneOf } from './read-tree.ts';
import { ResourceTree } from './resource-tree.ts';
import { sensibleTime } from './times.ts';
import { treeRoot } from './tree-root.ts';

/** A crawl of a BMC in any of the usual file layouts, or events that the BMC sent. */
export const redfish: Source = {
  id: 'redfish',
  title: 'Redfish resources (crawls, mockups, log entries, events)',
  looks_for: 'JSON with "@odata.id": "/redfish/v1/…", or "Events" with "MessageId"',
  leaves_open: ['zone', 'time', 'device'],
  detect: ({ json }: FileHead) => looksLikeRedfish(json),
  gather: { root: treeRoot, part: ({ object }) => normalizeId(textOf(object['@odata.id'])) },
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
    fail('redfish.nothing', `${input.name} contains no Redfish resource`, { place: input.name });
  const zone = input.assume.zone ?? zoneOf(tree);
  const time_ns = timeOf(tree, input, zone, remark);
  const fallback = input.assume.device ?? nameOf(input);
  for (const _ of readTree({ tree, builder, fallback, time_ns, zone, memory: new EmissionMemory() }))
    if (builder.rowCount >= BATCH_ROWS) yield builder.finish(tree.bytes);
  yield builder.finish(tree.bytes);
}

/** Of a tree by its folder: its files are all called `index.json`. */
function nameOf({ name }: SourceInput): string {
  const folders = name.split('/');
  const last = (folders.pop() ?? name).replace(/(.)\.json(\.\w+)?$/i, '$1');
  return last === 'index' && folders[0] ? folders[0] : last;
}

/** When the tree was recorded: by the investigator, the controller's clock, or the time of the files. */
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
