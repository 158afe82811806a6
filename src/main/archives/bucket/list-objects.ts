import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { fail } from '../../../model/problem.ts';
import type { ArchiveClient, Members } from '../http/archive-client.ts';

/** An object as a listing states it. */
export interface BucketObject {
  readonly key: string;
  readonly bytes: number;
  /** Version of its content, with its quotes. */
  readonly etag: string;
  readonly modified_ns: bigint;
}

interface Page {
  readonly objects: readonly BucketObject[];
  /** Where the next page begins; undefined: there is none. */
  readonly next: string | undefined;
}

/** A prefix with more is not that of an incident. */
const MOST_LISTED = 1_000_000;

const parser = new XMLParser({
  parseTagValue: false,
  isArray: (name) => name === 'Contents',
  // Numeric references are among these.
  htmlEntities: true,
});

/**
 * All objects with a prefix, in order of their keys (ListObjectsV2, https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html).
 *
 * @throws ProblemError archive.*
 */
export async function* listObjects(
  client: ArchiveClient,
  bucket: string,
  prefix: string,
  signal: AbortSignal,
): AsyncGenerator<BucketObject> {
  let next: string | undefined;
  let listed = 0;
  do {
    const page = await onePage(
      client,
      bucket,
      { prefix, ...(next !== undefined && { 'continuation-token': next }) },
      signal,
    );
    yield* page.objects;
    listed += page.objects.length;
    if (listed > MOST_LISTED)
      fail('archive.too_many_objects', `more than ${MOST_LISTED} objects begin with "${prefix}"`, {
        hint: 'set prefixes of the plan to longer ones, with the time in them',
      });
    if (page.next !== undefined && (page.next === next || page.objects.length === 0))
      fail('archive.refused', `the listing of "${prefix}" does not end`);
    next = page.next;
  } while (next !== undefined);
}

/** The first objects with a prefix, at most as many as one page has. */
export const firstObjects = async (
  client: ArchiveClient,
  bucket: string,
  prefix: string,
  signal: AbortSignal,
): Promise<readonly BucketObject[]> => (await onePage(client, bucket, { prefix, 'max-keys': '10' }, signal)).objects;

async function onePage(
  client: ArchiveClient,
  bucket: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Page> {
  let page: Page | undefined;
  await client.bytes(
    { path: `/${bucket}`, query: { 'list-type': '2', 'encoding-type': 'url', ...query } },
    (body) => {
      page = pageIn(body.toString('utf8'));
      return page !== undefined;
    },
    signal,
  );
  return page!;
}

/** undefined: it is cut off, or no listing. */
function pageIn(text: string): Page | undefined {
  if (XMLValidator.validate(text) !== true) return undefined;
  const { ListBucketResult: listing } = parser.parse(text) as Members;
  if (typeof listing !== 'object' || listing === null) return undefined;
  const { Contents: contents, IsTruncated, NextContinuationToken, EncodingType } = listing as Members;
  const decode = EncodingType === 'url' ? urlDecoded : (key: string) => key;
  const objects = ((contents ?? []) as readonly Members[]).map((one) => objectIn(one, decode));
  if (objects.includes(undefined)) return undefined;
  const next = IsTruncated === 'true' ? NextContinuationToken : undefined;
  if (IsTruncated === 'true' && typeof next !== 'string') return undefined;
  return { objects: objects as BucketObject[], next: next as string | undefined };
}

function objectIn(
  { Key, Size, ETag, LastModified }: Members,
  decode: (key: string) => string,
): BucketObject | undefined {
  if (typeof Key !== 'string' || typeof ETag !== 'string') return undefined;
  const [bytes, modified_ms] = [Number(Size), Date.parse(String(LastModified))];
  if (!Number.isSafeInteger(bytes) || bytes < 0 || Number.isNaN(modified_ms)) return undefined;
  return { key: decode(Key), bytes, etag: ETag, modified_ns: BigInt(modified_ms) * 1_000_000n };
}

function urlDecoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', '%20'));
  } catch {
    return key;
  }
}
