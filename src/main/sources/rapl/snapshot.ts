import type { SourceFile } from '../../../model/storage/source.ts';
import { type TreeFile, treeFile } from './tree-file.ts';

/** One file of the tree with its text. */
export interface TreeValue {
  readonly text: string;
  readonly time_ns: bigint;
  readonly path: string;
}

/** One power zone at one time: its files by name. */
export interface Zone {
  /** `intel-rapl`, `intel-rapl-mmio`. */
  readonly control: string;
  /** `0`, `a`, `0:1`: hexadecimal. */
  readonly id: string;
  readonly files: Map<string, TreeValue>;
}

/** The tree as it was at one time. */
export interface Snapshot {
  /** By control and id. */
  readonly zones: Map<string, Zone>;
  /** Files by chip, thermal zone and logical CPU. */
  readonly chips: Map<string, Map<string, TreeValue>>;
  readonly thermal: Map<string, Map<string, TreeValue>>;
  readonly cpus: Map<number, Map<string, TreeValue>>;
}

/** In bytes; no value of these trees is longer. */
const MAX_VALUE = 4096;

async function textOf(file: SourceFile): Promise<string> {
  let text = '';
  let left = MAX_VALUE;
  const decoder = new TextDecoder();
  for await (const chunk of file.open()) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.length;
    if (left <= 0) break;
  }
  return text.trim();
}

/** @param timeOf when a value was recorded */
export async function readSnapshot(
  files: readonly SourceFile[],
  timeOf: (file: SourceFile) => bigint,
): Promise<Snapshot> {
  const snapshot: Snapshot = { zones: new Map(), chips: new Map(), thermal: new Map(), cpus: new Map() };
  for (const file of files) {
    const place = treeFile(file.path);
    if (!place) continue;
    const value: TreeValue = { text: await textOf(file), time_ns: timeOf(file), path: file.path };
    put(snapshot, place, value);
  }
  return snapshot;
}

function put(snapshot: Snapshot, place: TreeFile, value: TreeValue): void {
  if (place.kind === 'zone') {
    const key = `${place.control}:${place.zone}`;
    const zone = snapshot.zones.get(key) ?? { control: place.control, id: place.zone, files: new Map() };
    snapshot.zones.set(key, zone);
    zone.files.set(place.file, value);
  } else if (place.kind === 'hwmon') within(snapshot.chips, place.chip).set(place.file, value);
  else if (place.kind === 'thermal') within(snapshot.thermal, place.zone).set(place.file, value);
  else within(snapshot.cpus, place.cpu).set(place.file, value);
}

function within<K>(map: Map<K, Map<string, TreeValue>>, key: K): Map<string, TreeValue> {
  const found = map.get(key) ?? new Map<string, TreeValue>();
  map.set(key, found);
  return found;
}
