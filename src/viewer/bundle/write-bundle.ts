import { bundleContent } from '../../core/bundle/sealed-manifest.ts';
import { type ZipMember, zipLayout } from '../../core/bundle/zip-layout.ts';
import {
  type BundleMember,
  type BundleTable,
  MANIFEST_MEMBER,
  manifestText,
  REPORT_MEMBER,
  tableMember,
} from '../../model/storage/bundle.ts';
import type { BundleHead } from '../../model/storage/bundle-files.ts';
import { crc32 } from './crc32.ts';
import { webSeals } from './web-seals.ts';

export interface BundleParts {
  readonly head: BundleHead;
  readonly tables: readonly BundleTable[];
  /** Of each table, in the same order. */
  readonly packed: readonly Uint8Array<ArrayBuffer>[];
  readonly report: string;
}

/** A bundle as one file in memory, its members where the desktop would put them. */
export async function writeBundle(
  { head, tables, packed, report }: BundleParts,
  onProgress: (done: number, total: number) => void,
): Promise<{ readonly file: Blob; readonly root: string }> {
  const total = packed.reduce((sum, { length }) => sum + length, 0);
  const contents = new Map<string, Uint8Array<ArrayBuffer>>(
    tables.map(({ table }, i) => [tableMember(table), packed[i]!]),
  );
  contents.set(REPORT_MEMBER, new TextEncoder().encode(report));
  const members: BundleMember[] = [];
  let done = 0;
  for (const [name, bytes] of contents) {
    members.push({ name, bytes: bytes.length, sha256: await webSeals.sha256([bytes]) });
    done += bytes.length;
    onProgress(Math.min(done, total), total);
  }
  const { content, text } = bundleContent(head, tables, members);
  const root = await webSeals.sha256([new TextEncoder().encode(text)]);
  contents.set(MANIFEST_MEMBER, new TextEncoder().encode(manifestText({ ...content, root, signature: null })));
  return { file: zipOf(contents), root };
}

function zipOf(contents: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Blob {
  const members: ZipMember[] = [...contents].map(([name, bytes]) => ({ name, bytes: bytes.length, crc: crc32(bytes) }));
  const { headers, directory } = zipLayout(members);
  const parts = [...contents.values()].flatMap((bytes, i) => [headers[i]?.bytes ?? new Uint8Array(0), bytes]);
  return new Blob([...parts, directory], { type: 'application/octet-stream' });
}
