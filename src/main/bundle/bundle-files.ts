import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleContent } from '../../core/bundle/sealed-manifest.ts';
import { fail } from '../../model/problem.ts';
import {
  type BundleManifest,
  MANIFEST_MEMBER,
  manifestText,
  REPORT_MEMBER,
  type TableFile,
  type TableSelect,
  tableMember,
} from '../../model/storage/bundle.ts';
import type { BundleFiles, BundleWork } from '../../model/storage/bundle-files.ts';
import type { StoredCase } from '../../model/storage/case-storage.ts';
import type { Engine } from '../../model/storage/engine.ts';
import { newScratch, type ScratchFolder, scratchFileFor } from '../disk/scratch-folder.ts';
import { openCaseFolder } from '../engine/case-folders.ts';
import { clearExchange, exchangeOf, writeParquetTables } from '../engine/exchange.ts';
import { assertRedacted, redactCase } from './redact/redact-case.ts';
import { parseRules } from './redact/rules.ts';
import { checkSignature, signRoot } from './signature.ts';
import { ZipWriter } from './write-zip.ts';

/** @param secret what a place such as `keychain:NAME` holds */
export function bundleFiles(secret: (place: string) => Promise<string>): BundleFiles {
  return {
    writeTables,
    moveTables,
    stage,
    clear: clearExchange,
    redact,
    seal: (target, content, work) => seal(target, content, work, secret),
  };
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
    assertGone: (tables, texts) => assertRedacted(engine, tables, { pseudonyms, texts }),
  };
};

async function writeTables(
  engine: Engine,
  selects: readonly TableSelect[],
  { signal, onProgress }: BundleWork,
): Promise<TableFile[]> {
  const onTable = (done: number, total: number) => onProgress('tables', done, total);
  const written = await writeParquetTables(engine, selects, { signal, onTable });
  return written.map(({ table, columns, rows, path }) => ({ table, columns, rows, path }));
}

/** @throws ProblemError case.locked, disk.full */
async function stage(name: string, schema_version: number, tables: readonly TableFile[]): Promise<StoredCase> {
  const scratch = await newScratch('case');
  const opened = await openCaseFolder(join(scratch.folder, 'case.faultline'), { create: true });
  return {
    ...temporary(opened, scratch),
    name,
    bundle: { schema_version, tables: await moveTables(opened.engine, tables) },
  };
}

/** Moves tables to where an engine may read them. */
export async function moveTables(engine: Engine, tables: readonly TableFile[]): Promise<TableFile[]> {
  const exchange = await exchangeOf(engine);
  return Promise.all(
    tables.map(async (table) => {
      const path = join(exchange, `in-${table.table}.parquet`);
      await rename(table.path, path);
      return { ...table, path };
    }),
  );
}

/** A case whose folder goes when it is closed. */
export function temporary(stored: StoredCase, scratch: ScratchFolder): StoredCase {
  const { engine } = stored;
  const close = async (): Promise<void> => {
    await engine.close();
    await scratch.remove();
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
  const partial = await scratchFileFor(path);
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
