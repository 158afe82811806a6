import {
  BUNDLE_FORMAT_VERSION,
  type BundleContent,
  type BundleMember,
  type BundleTable,
  manifestText,
} from '../../model/storage/bundle.ts';
import type { BundleHead } from '../../model/storage/bundle-files.ts';

/** What the root hash of a bundle is made of, and its text. */
export function bundleContent(
  head: BundleHead,
  tables: readonly BundleTable[],
  members: readonly BundleMember[],
): { readonly content: BundleContent; readonly text: string } {
  const content: BundleContent = {
    format: 'faultline-bundle',
    format_version: BUNDLE_FORMAT_VERSION,
    schema_version: head.schema_version,
    app_version: head.app_version,
    case: head.case,
    excerpt: head.excerpt,
    sources: head.sources,
    tables: tables.map(({ table, rows, columns }) => ({ table, rows, columns })),
    members: [...members],
  };
  return { content, text: manifestText(content) };
}
