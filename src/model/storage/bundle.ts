import { z } from 'zod';
import { shortList } from '../incident/chain-folds.ts';
import type { OrderedRows } from '../rows/ordered-rows.ts';
import { formatUtc, nanos as nanosOf } from '../time.ts';

/** A case to hand over is one file of this name: a zip whose members are described in docs/bundle.md. */
export const BUNDLE_SUFFIX = '.flb';
export const BUNDLE_FORMAT_VERSION = 1;
export const MANIFEST_MEMBER = 'manifest.json';
export const REPORT_MEMBER = 'report.md';
/** More than a case with thousands of sources needs; read before anything in it can be believed. */
export const MOST_MANIFEST_BYTES = 16 * 2 ** 20;
export const MOST_MEMBERS = 200;

/** The types that columns of a case have; any other in a bundle is refused. */
export const bundleColumnTypes = [
  'INTEGER',
  'BIGINT',
  'UBIGINT',
  'UINTEGER',
  'UTINYINT',
  'DOUBLE',
  'FLOAT',
  'VARCHAR',
] as const;

const identifier = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** Nanoseconds as decimal text: JSON numbers of other readers are doubles. */
const nanos = z.string().regex(/^-?\d{1,19}$/);
const count = z.number().int().nonnegative();

const tableSchema = z.strictObject({
  table: identifier,
  rows: count,
  columns: z
    .array(z.strictObject({ name: identifier, type: z.enum(bundleColumnTypes) }))
    .min(1)
    .max(100),
});
export type BundleTable = z.infer<typeof tableSchema>;

/** A table of a case as it goes into a bundle: all rows in one order, whatever the order in which they were stored. */
export interface TableSelect extends OrderedRows {
  readonly table: string;
  readonly columns: BundleTable['columns'];
}

/** A table as Parquet, where an engine may read it. */
export interface TableFile extends BundleTable {
  readonly path: string;
}

const sourceSchema = z.strictObject({
  source_id: z.number().int(),
  name: z.string(),
  format: z.string(),
  digest: z.string(),
  bytes: count,
  rejects: count,
  first_ns: nanos.nullable(),
  last_ns: nanos.nullable(),
  clock_offset_ns: nanos,
  clock_uncertainty_ns: nanos,
});

const memberSchema = z.strictObject({ name: z.string().max(100), bytes: count, sha256 });
export type BundleMember = z.infer<typeof memberSchema>;

/** What was left out on purpose; in words in the case itself and so in its report. */
export const excerptSchema = z.strictObject({
  /** Rows from here on, until there, on the case's clock. */
  from_ns: nanos.nullable(),
  to_ns: nanos.nullable(),
  /** Names of the selected entities, `kind:id`; null: all. */
  entities: z.array(z.string()).nullable(),
  redacted: z.boolean(),
});
export type BundleExcerpt = z.infer<typeof excerptSchema>;

/** For people: what a case that was handed over does not hold, on purpose. */
export function excerptText({ from_ns, to_ns, entities, redacted }: BundleExcerpt): string {
  const time = (ns: string): string => formatUtc(nanosOf(BigInt(ns)));
  const parts = [
    ...(from_ns === null && to_ns === null
      ? []
      : [
          `rows outside ${from_ns === null ? 'the beginning' : time(from_ns)} to ${to_ns === null ? 'the end' : time(to_ns)}`,
        ]),
    ...(entities === null ? [] : [`rows about entities other than ${shortList(entities)}`]),
  ];
  const cut =
    parts.length === 0 ? [] : [`this is a cut: ${parts.join(' and ')} were left out, but for what the incidents need`];
  return [...cut, ...(redacted ? ['names were replaced and texts taken out before it was handed over'] : [])].join(
    '; ',
  );
}

const contentSchema = z.strictObject({
  format: z.literal('faultline-bundle'),
  format_version: z.number().int().positive(),
  schema_version: z.number().int().positive(),
  app_version: z.string(),
  case: z.string().min(1).max(200),
  /** null: the whole case, as it is. */
  excerpt: excerptSchema.nullable(),
  sources: z.array(sourceSchema),
  tables: z.array(tableSchema).max(MOST_MEMBERS),
  members: z.array(memberSchema).max(MOST_MEMBERS),
});
/** What the root hash is made of. */
export type BundleContent = z.infer<typeof contentSchema>;

export const manifestSchema = z.strictObject({
  ...contentSchema.shape,
  root: sha256,
  signature: z
    .strictObject({
      algorithm: z.literal('ed25519'),
      /** SPKI, DER, base64. */
      public_key: z.string().max(200),
      value: z.string().max(200),
    })
    .nullable(),
});
export type BundleManifest = z.infer<typeof manifestSchema>;

export const tableMember = (table: string): string => `tables/${table}.parquet`;

/** A manifest, or the part of it that is hashed, has one text: what is written differently was not written by Faultline. */
export const manifestText = (manifest: BundleManifest | BundleContent): string =>
  `${JSON.stringify(manifest, null, 2)}\n`;

/** The root hash is SHA-256 of this: the manifest without its last two fields, and through it every member. */
export function rootText({ root: _root, signature: _signature, ...content }: BundleManifest): string {
  return manifestText(content);
}

/** What is signed: it cannot be mistaken for a signature of anything else. */
export const signedText = (root: string): string => `faultline-bundle-1 ${root}\n`;

/** A difference between a bundle and its manifest. */
export interface BundleDifference {
  /** A member's name; `signature`, `archive` and `manifest.json` stand for themselves. */
  readonly member: string;
  readonly what: string;
}

/** What a look at every byte of a bundle showed. */
export interface BundleCheck {
  readonly manifest: BundleManifest;
  /** [] of one that is as it was written. */
  readonly differences: readonly BundleDifference[];
  /** SHA-256 of the key that it is signed with; null: not signed. */
  readonly signed_by: string | null;
}
