import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { assert } from '../../base/assert.ts';
import { bundleContent } from '../../core/bundle/sealed-manifest.ts';
import {
  type BundleManifest,
  MANIFEST_MEMBER,
  manifestText,
  REPORT_MEMBER,
  type TableFile,
  type TableSelect,
  tableMember,
} from '../../model/bundle.ts';
import type { BundleFiles, BundleWork } from '../../model/bundle-files.ts';
import type { StoredCase } from '../../model/case-storage.ts';
import type { Engine } from '../../model/engine.ts';
import { fail } from '../../model/problem.ts';
import { openCaseFolder } from '../engine/case-folders.ts';
import { assertRedacted, redactCase } from './redact/redact-case.ts';
import { parseRules } from './redact/rules.ts';
import { checkSignature, signRoot } from './signature.ts';
import { ZipWriter } from './write-zip.ts';

/**
 * Rows of a row group: what a reader of a window fetches at least. Ten seconds of an hour of 8 M spans are 1.6 MiB and a footer
 * of 0.6 MiB; with 8,192 rows 1.3 and 2.3 MiB, with DuckDB's own 122,880 four times as much of a smaller case
 * (`npm run bench -- --only bundle`). The file is as large in any of them.
 */
const ROW_GROUP = 30_720;

/** @param secret what a place such as `keychain:NAME` holds */
export function bundleFiles(secret: (place: string) => Promise<string>): BundleFiles {
  return { writeTables, stage, clear, redact, seal: (target, content, work) => seal(target, content, work, secret) };
}

/** The engine's own folder for files, there from now on. */
export async function exchangeOf({ exchange }: Engine): Promise<string> {
  assert(exchange !== undefined, 'bundles need an engine that can write files');
  await mkdir(exchange, { recursive: true, mode: 0o700 });
  return exchange;
}

const redact: BundleFiles['redact'] = async (engine, text, preview, { signal, onProgress }) => {
  const rules = parseRules(text);
  const { pseudonyms, samples } = await redactCase(engine, rules, {
    preview,
    signal,
    onProgress: (done, total) => onProgress('redacting', done, total),
  });
  return {
    case: rules.case,
    replace: (one) => pseudonyms.replace(one),
    pairs: pseudonyms.pairs(),
    samples,
    assertGone: (tables, texts) => assertRedacted(engine, tables, { originals: pseudonyms.originals(), texts }),
  };
};

const clear = async ({ exchange }: Engine): Promise<void> => {
  if (exchange !== undefined) await rm(exchange, { recursive: true, force: true });
};

async function writeTables(
  engine: Engine,
  selects: readonly TableSelect[],
  { signal, onProgress }: BundleWork,
): Promise<TableFile[]> {
  const folder = await exchangeOf(engine);
  const session = await engine.session();
  const files: TableFile[] = [];
  try {
    // All tables of one state of the case, whatever is recorded meanwhile.
    await session.execute('begin transaction');
    for (const [done, { table, columns, sql }] of selects.entries()) {
      onProgress('tables', done, selects.length);
      const path = join(folder, `${table}.parquet`);
      const copied = await session.query(
        `copy (${sql}) to '${path.replaceAll("'", "''")}' (format parquet, compression zstd, row_group_size ${ROW_GROUP})`,
        [],
        signal,
      );
      files.push({ table, columns, rows: Number(copied.columns[0]?.[0]), path });
    }
    await session.execute('rollback');
    return files;
  } finally {
    session.close();
  }
}

/** @throws ProblemError case.locked, disk.full */
async function stage(name: string, schema_version: number, tables: readonly TableFile[]): Promise<StoredCase> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-case-'));
  const path = join(folder, 'case.faultline');
  const opened = await openCaseFolder(path, { create: true });
  const exchange = await exchangeOf(opened.engine);
  const moved: TableFile[] = [];
  for (const table of tables) {
    const own = join(exchange, `in-${table.table}.parquet`);
    await rename(table.path, own);
    moved.push({ ...table, path: own });
  }
  return {
    ...temporary(opened, folder),
    name,
    bundle: { schema_version, tables: moved },
  };
}

/** A case whose folder goes when it is closed. */
export function temporary(stored: StoredCase, folder: string): StoredCase {
  const { engine } = stored;
  const close = async (): Promise<void> => {
    await engine.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...stored, engine: { ...engine, close } };
}

async function seal(
  { path, key }: { readonly path: string; readonly key: string | null },
  { head, tables, report }: Parameters<BundleFiles['seal']>[1],
  { signal, onProgress }: BundleWork,
  secret: (place: string) => Promise<string>,
): ReturnType<BundleFiles['seal']> {
  const pem = key === null ? null : await readKey(key, secret);
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.partial`;
  const zip = await ZipWriter.create(partial);
  try {
    const sizes = await Promise.all(tables.map(async (table) => (await stat(table.path)).size));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    let done = 0;
    for (const { table, path: from } of tables)
      await zip.addFile(tableMember(table), from, (bytes) => {
        signal.throwIfAborted();
        done += bytes;
        onProgress('sealing', done, total);
      });
    await zip.addText(REPORT_MEMBER, report);
    const manifest = sealed({ head, tables, members: zip.members }, pem);
    await zip.addText(MANIFEST_MEMBER, manifestText(manifest));
    await zip.finish();
    await zip.close();
    await rename(partial, path);
    const { signed_by } = checkSignature(manifest, null);
    return { bytes: (await stat(path)).size, root: manifest.root, signed_by };
  } catch (error) {
    await zip.close();
    await rm(partial, { force: true });
    throw error;
  }
}

function sealed(
  {
    head,
    tables,
    members,
  }: {
    readonly head: Parameters<BundleFiles['seal']>[1]['head'];
    readonly tables: readonly TableFile[];
    readonly members: BundleManifest['members'];
  },
  pem: string | null,
): BundleManifest {
  const { content, text } = bundleContent(head, tables, members);
  const root = createHash('sha256').update(text).digest('hex');
  return { ...content, root, signature: pem === null ? null : signRoot(root, pem) };
}

async function readKey(place: string, secret: (place: string) => Promise<string>): Promise<string> {
  if (/^(env|keychain):/.test(place)) return secret(place);
  return readFile(place, 'utf8').catch((error: NodeJS.ErrnoException) =>
    fail('bundle.bad_key', `the key ${place} cannot be read (${error.code})`),
  );
}
