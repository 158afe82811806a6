import { fail } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type Source, type SourceFile, type SourceInput } from '../../../model/storage/source.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { isPowerCsv, readPowerCsv } from './csv-series.ts';
import { TREE_WORD } from './format.ts';
import { HostEntities } from './host-entities.ts';
import { appendSensors } from './sensor-rows.ts';
import { readSnapshot } from './snapshot.ts';
import { seriesRoot, snapshotTime } from './snapshot-time.ts';
import { belongsToTree, treeFile } from './tree-file.ts';
import { newMemory, ZoneRows } from './zone-rows.ts';

export const rapl: Source = {
  id: 'rapl',
  title: 'CPU power (powercap, hwmon, thermal trees; CSV series of RAPL counters)',
  looks_for: 'files of /sys/class/powercap, or a CSV with a time and RAPL energy or power columns',
  leaves_open: ['zone', 'time', 'device'],
  // A file with one number is not distinctive; a few files have words that no other file has.
  detect: (head) => TREE_WORD.test(head.text.trim()) || isPowerCsv(head.text),
  gather: {
    owns: belongsToTree,
    root: (path) => {
      const place = treeFile(path);
      return place ? seriesRoot(place.base) : belongsToTree(path) ? seriesRoot(baseOf(path)) : path;
    },
  },
  read,
};

/** For files without a distinctive content: the path before the folders of the tree. */
const baseOf = (path: string): string =>
  /^(.*?)(?:^|\/)(?:sys\/)?(?:class\/|devices\/)?(?:powercap|hwmon|virtual|system)\//.exec(path)?.[1] ?? '';

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const tree = input.files.filter(({ path }) => treeFile(path) !== undefined);
  const builder = new BatchBuilder();
  if (tree.length > 0) {
    yield* readTree(builder, input, tree);
    return;
  }
  const [file] = input.files;
  if (!file) return fail('file.empty', `${input.name} contains no file`);
  if (belongsToTree(file.path)) fail('rapl.no_values', `${input.name} contains no readings`, { place: input.name });
  yield* readPowerCsv(builder, input, file);
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

async function* readTree(
  builder: BatchBuilder,
  input: SourceInput,
  files: readonly SourceFile[],
): AsyncGenerator<RowBatch> {
  const name = input.assume.device ?? (lastPart(input.name.replace(/\/+$/, '')) || 'host');
  if (input.assume.device === null)
    builder.remark(`the tree does not name its host: named ${name} after the recording`);
  const host = new HostEntities(builder, name);
  const memory = newMemory();
  let bytes = 0;
  for (const { folder, members } of samplesOf(files)) {
    const stated = snapshotTime(folder, input.assume.zone ?? 'UTC');
    if (stated?.local && input.assume.zone === null) builder.remark('times have no zone: read as UTC');
    if (!stated) {
      const first = members[0]!;
      builder.remark(
        `no times in the files: taken as recorded at ${formatUtc(nanos(first.captured_ns))} (${first.captured_from})`,
      );
    }
    const snapshot = await readSnapshot(members, (file) => stated?.time_ns ?? file.captured_ns);
    new ZoneRows(builder, host, memory).append(snapshot);
    appendSensors(builder, host, snapshot);
    bytes += members.reduce((sum, file) => sum + file.bytes, 0);
    if (builder.rowCount >= BATCH_ROWS) yield builder.finish(bytes);
  }
  yield builder.finish(bytes);
}

/** The files of each sample, the earliest first. */
function samplesOf(files: readonly SourceFile[]): { readonly folder: string; readonly members: SourceFile[] }[] {
  const byBase = new Map<string, SourceFile[]>();
  for (const file of files) {
    const base = treeFile(file.path)?.base ?? '';
    const members = byBase.get(base);
    if (members) members.push(file);
    else byBase.set(base, [file]);
  }
  const samples = [...byBase].map(([base, members]) => {
    const folder = lastPart(base);
    const time = snapshotTime(folder, 'UTC')?.time_ns ?? members[0]!.captured_ns;
    return { folder, members, time };
  });
  return samples.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : a.folder < b.folder ? -1 : 1));
}
