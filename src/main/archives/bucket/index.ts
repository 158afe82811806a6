import { fail } from '../../../model/problem.ts';
import type { TimeWindow } from '../../../model/storage/archive.ts';
import { failed, passed } from '../../capture/connection-checks.ts';
import type { ArchiveKind, Asked, FileQuery } from '../archive-kind.ts';
import { type BucketObject, firstObjects, listObjects } from './list-objects.ts';
import { objectParts } from './object-parts.ts';
import { partitionOf, partitionsOf } from './partitions.ts';
import { type BucketPlan, planSchema } from './plan.ts';
import { bucketLogin } from './sign.ts';

type BucketAsked = Asked<BucketPlan>;

const MILLISECOND = 1_000_000n;
/** When an object was written is known to the second: S3 keeps no more, whatever its listing states. */
const SECOND = 1_000_000_000n;
const MOST_OBJECTS = 20_000;
/** What Spark and others leave beside their data. */
const MARKER = /(?:^|\/)(?:\.[^/]*|_SUCCESS|_(?:committed|started)_[^/]*)$/;

/**
 * Files in a bucket with the API of S3. Each is a source: it comes whole, once, by its key and version. Dumps of the Flight Recorder that
 * lie together are one.
 */
export const bucketArchive: ArchiveKind<typeof planSchema> = {
  kind: 'bucket',
  plan: planSchema,
  login: bucketLogin,
  queries: async (asked) => {
    if (asked.selection.services.length > 0)
      fail('archive.no_services', 'a bucket does not know which services are in its files', {
        hint: 'leave --services out; --where selects files by their key: --where "*traces*"',
      });
    const found = await objectsOf(asked);
    return asked.plan.format === 'flight-recorder'
      ? dumpQueries(asked, found)
      : found.map((one) => fileQuery(asked, [one]));
  },
  probe: async (client, { bucket, prefixes }, signal) => {
    const [prefix = ''] = prefixes;
    const constant = prefix.replace(/%.*/, '');
    const [first] = await firstObjects(client, bucket, constant, signal);
    return first
      ? passed('values', `${bucket} has ${first.key}`)
      : failed('values', `nothing in ${bucket} begins with "${constant}"`, 'set bucket and prefixes');
  },
};

interface PlacedObject extends BucketObject {
  /** Of its partition; where its key has no time, when it was written. */
  readonly extent: TimeWindow;
  readonly isPartition: boolean;
}

/** What a window touches, without markers and empty objects, which stand for folders. */
async function objectsOf({ plan, client, selection, window, signal }: BucketAsked): Promise<PlacedObject[]> {
  const isWanted = keyPattern(selection.where);
  const found = new Map<string, PlacedObject>();
  for (const prefix of plan.prefixes)
    for await (const one of placedObjects({ plan, client, window, signal }, prefix)) {
      if (one.bytes === 0 || MARKER.test(one.key) || !isWanted(one.key)) continue;
      found.set(one.key, one);
      if (found.size > MOST_OBJECTS)
        fail('archive.too_many_objects', `the window has more than ${MOST_OBJECTS} objects: pull a shorter one`);
    }
  return [...found.values()];
}

async function* placedObjects(
  { plan, client, window, signal }: Omit<BucketAsked, 'selection'>,
  prefix: string,
): AsyncGenerator<PlacedObject> {
  const { bucket, lag_s } = plan;
  if (partitionOf(prefix) === 'none') {
    const until_ns = window.until_ns + BigInt(Math.round(lag_s * 1000)) * MILLISECOND;
    for await (const one of listObjects(client, bucket, prefix, signal)) {
      const { modified_ns } = one;
      const from_ns = modified_ns - (modified_ns % SECOND);
      const extent = { from_ns, until_ns: from_ns + SECOND };
      // Others may still be written in a second that is not over: all of it comes with a later pull.
      const left_ns = extent.until_ns - BigInt(Date.now()) * MILLISECOND;
      const isOpen = left_ns > 0n && left_ns <= SECOND;
      if (!isOpen && modified_ns >= window.from_ns && modified_ns < until_ns)
        yield { ...one, extent, isPartition: false };
    }
    return;
  }
  const byListing = Map.groupBy(partitionsOf(prefix, window), ({ listed }) => listed);
  for (const [listed, partitions] of byListing)
    for await (const one of listObjects(client, bucket, listed, signal)) {
      const partition = partitions.find((each) => one.key.startsWith(each.prefix));
      if (!partition) continue;
      const { from_ns, until_ns } = partition;
      yield { ...one, extent: { from_ns, until_ns }, isPartition: true };
    }
}

/** `*` is any text. A pattern is met anywhere in a key. */
function keyPattern(where: string | null): (key: string) => boolean {
  if (where === null) return () => true;
  const parts = where.split('*').filter((part) => part !== '');
  return (key) => {
    let at = 0;
    for (const part of parts) {
      const found = key.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return true;
  };
}

/** Dumps in one folder whose names differ by a rank are one job. */
function dumpQueries(asked: BucketAsked, found: readonly PlacedObject[]): FileQuery[] {
  const jobs = Map.groupBy(
    found,
    ({ key, isPartition, extent }) => `${dumpPattern(key)} ${isPartition ? extent.from_ns : ''}`,
  );
  return [...jobs.values()].map((dumps) => fileQuery(asked, dumps));
}

function dumpPattern(key: string): string {
  const folder = key.slice(0, key.lastIndexOf('/') + 1);
  const name = key.slice(folder.length);
  const pattern = /rank[-_.]?\d+/i.test(name)
    ? name.replace(/(rank[-_.]?)\d+/i, '$1*')
    : name.replace(/\d+(\D*)$/, '*$1');
  return folder + pattern;
}

/** Files that are one source, each asked for by its version. */
function fileQuery({ plan: { bucket, format }, client }: BucketAsked, objects: readonly PlacedObject[]): FileQuery {
  const [first] = objects as readonly [PlacedObject, ...PlacedObject[]];
  const isOne = format !== 'flight-recorder';
  const inWindow = ({ from_ns, until_ns }: TimeWindow) =>
    objects.filter(({ extent }) => extent.from_ns < until_ns && extent.until_ns > from_ns);
  const extent = objects.reduce(
    ({ from_ns, until_ns }, { extent: each }) => ({
      from_ns: each.from_ns < from_ns ? each.from_ns : from_ns,
      until_ns: each.until_ns > until_ns ? each.until_ns : until_ns,
    }),
    first.extent,
  );
  return {
    text: isOne ? `${bucket}/${first.key} ${first.etag}` : `${bucket}/${dumpPattern(first.key)}`,
    format,
    grain_ns: first.isPartition ? extent.until_ns - extent.from_ns : SECOND,
    extent,
    name: first.key,
    estimate: async (window) => ({ rows: null, bytes: inWindow(window).reduce((sum, { bytes }) => sum + bytes, 0) }),
    files: (window, signal) =>
      inWindow(window).map((one) => ({
        path: one.key,
        captured_ns: one.modified_ns,
        documents: objectParts(client, bucket, one, signal),
      })),
  };
}
