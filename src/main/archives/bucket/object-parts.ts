import { fail } from '../../../model/problem.ts';
import type { ArchiveClient } from '../http/archive-client.ts';
import type { BucketObject } from './list-objects.ts';

/** Of an object that is asked for at once: it is in memory, and repeated as a whole. */
const PART_BYTES = 8 * 1024 * 1024;

/**
 * The bytes of one version of an object, part by part; each part that is cut off is repeated.
 *
 * @throws ProblemError archive.changed where it was written anew meanwhile, archive.*
 */
export async function* objectParts(
  client: ArchiveClient,
  bucket: string,
  { key, bytes, etag }: BucketObject,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const path = pathOf(bucket, key);
  for (let at = 0; at < bytes; at += PART_BYTES) {
    const length = Math.min(PART_BYTES, bytes - at);
    const isWhole = (body: Buffer, headers: Headers) => {
      const now = headers.get('etag');
      if (now !== null && now !== etag)
        fail('archive.changed', `${key} was written anew while it was read`, { hint: 'pull the window again' });
      return body.length === length;
    };
    const headers = { range: `bytes=${at}-${at + length - 1}`, 'if-match': etag };
    yield await client.bytes({ path, headers }, isWhole, signal);
  }
}

/** Path-style: every server with this API knows it. */
function pathOf(bucket: string, key: string): string {
  const names = key.split('/');
  // A URL would leave them out, and name an object of another bucket.
  if (names.some((name) => name === '.' || name === '..'))
    fail('archive.refused', `${key} has . or .. between its slashes, and is no address`);
  return `/${bucket}/${names.map(encodeName).join('/')}`;
}

/** As signatures have it (RFC 3986): what `encodeURIComponent` leaves is encoded, too. */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
