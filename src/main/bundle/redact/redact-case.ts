import { fail } from '../../../model/problem.ts';
import type { TableFile } from '../../../model/storage/bundle.ts';
import type { Engine, Session } from '../../../model/storage/engine.ts';
import { type KnownName, Pseudonyms } from './pseudonyms.ts';
import type { Rules, Treatment } from './rules.ts';

/** Our own terms, not those of a recording: kinds, units, formats, metrics, and the metadata of a case. */
const OWN = new Set([
  'meta.key',
  'meta.value',
  'source.format',
  'source.rows',
  'entity.kind',
  'alias.kind',
  'held_apart.kind',
  'held_apart.other_kind',
  'series.metric',
  'series.kind',
  'series.unit',
  'annotation.annotation_id',
  'annotation.kind',
]);
/** Names by code that mean something to the analysis; the others are replaced. */
const MEANT = [
  'event.type',
  'event.origin',
  'edge.kind',
  'edge.provenance',
  'collective.operation',
  'collective.state',
  'collective.dtype',
];
const JSON_COLUMNS = new Set(['attributes', 'detail', 'body']);

interface TextColumn {
  readonly table: string;
  readonly column: string;
}

async function textColumns(session: Session): Promise<TextColumn[]> {
  const found = await session.query(
    `select c.table_name, c.column_name from duckdb_columns() c join duckdb_tables() t on t.table_name = c.table_name
     where c.schema_name = 'main' and not t.temporary and c.data_type = 'VARCHAR' order by all`,
  );
  return Array.from({ length: found.count }, (_, i) => ({
    table: found.columns[0]?.[i] as string,
    column: found.columns[1]?.[i] as string,
  })).filter(({ table, column }) => !OWN.has(`${table}.${column}`));
}

/** Distinct texts of a column, in order. */
async function* textsOf(session: Session, { table, column }: TextColumn, file?: string): AsyncGenerator<string[]> {
  const meant = MEANT.map((place) => `select ${place.split('.')[1]} from ${place.split('.')[0]}`).join(' union ');
  const where = table === 'name' ? `name_id not in (select * from (${meant}) m(id) where id is not null)` : 'true';
  const sql = `select distinct "${column}" as value from ${file === undefined ? `"${table}"` : `read_parquet('${file.replaceAll("'", "''")}', hive_partitioning = false)`} where "${column}" <> '' and ${where} order by value`;
  const decoder = new TextDecoder();
  for await (const { count, columns } of session.stream(sql, { value: 'text' })) {
    const { bytes, offsets } = columns.value as { bytes: Uint8Array; offsets: Uint32Array };
    yield Array.from({ length: count }, (_, i) => decoder.decode(bytes.subarray(offsets[i], offsets[i + 1])));
  }
}

async function knownNames(session: Session): Promise<KnownName[]> {
  const found = await session.query(
    // A pod or job is known by its namespace and its name; records contain either alone.
    `with composed as (
       select kind, split_part(id, '/', 1) as namespace, substring(id, strpos(id, '/') + 1) as name
       from entity where kind in ('pod', 'job') and strpos(id, '/') > 1)
     select kind, id as name from entity union
     select e.kind, a.name from alias a join entity e using (entity_id) union
     select kind, name from composed union
     select 'namespace', namespace from composed
     where namespace not in ('default', 'kube-system', 'kube-public', 'kube-node-lease') order by all`,
  );
  return Array.from({ length: found.count }, (_, i) => ({
    kind: found.columns[0]?.[i] as string,
    name: found.columns[1]?.[i] as string,
  }));
}

/** In whose hands a text is: its own rule, else names in it are replaced. */
function treated(pseudonyms: Pseudonyms, { texts }: Rules, { table, column }: TextColumn): (text: string) => string {
  const treatment: Treatment = texts[`${table}.${column}`] ?? 'keep';
  const isJson = treatment === 'keep' && JSON_COLUMNS.has(column) && table !== 'log';
  if (isJson || (table === 'log' && column === 'attributes' && treatment === 'keep'))
    return (text) => pseudonyms.treatJson(text);
  return (text) => pseudonyms.treat(text, treatment);
}

export interface Redaction {
  readonly pseudonyms: Pseudonyms;
  /** The first few texts of each column that change. */
  readonly samples: readonly { readonly place: string; readonly before: string; readonly after: string }[];
}

const SAMPLES = 3;

/**
 * Replaces names throughout a case; `preview` only lists the replacements. Each distinct text is searched once.
 */
export async function redactCase(
  { session: connect }: Pick<Engine, 'session'>,
  rules: Rules,
  {
    preview,
    signal,
    onProgress,
  }: { preview: boolean; signal: AbortSignal; onProgress(done: number, total: number): void },
): Promise<Redaction> {
  const [session, writer] = [await connect(), await connect()];
  try {
    const pseudonyms = new Pseudonyms(await knownNames(session), rules);
    const samples: { place: string; before: string; after: string }[] = [];
    const columns = await textColumns(session);
    for (const [done, place] of columns.entries()) {
      signal.throwIfAborted();
      onProgress(done, columns.length);
      const treat = treated(pseudonyms, rules, place);
      if (!preview) await writer.execute('create or replace temp table redacted (before varchar, after varchar)');
      let seen = 0;
      for await (const texts of textsOf(session, place)) {
        signal.throwIfAborted();
        const changed = texts
          .map((before) => ({ before, after: treat(before) }))
          .filter(({ before, after }) => before !== after);
        for (const pair of changed.slice(0, Math.max(0, SAMPLES - seen)))
          samples.push({ place: `${place.table}.${place.column}`, ...pair });
        seen += changed.length;
        if (!preview && changed.length > 0) await append(writer, changed);
      }
      if (!preview && seen > 0)
        await writer.execute(
          `update "${place.table}" set "${place.column}" = r.after from redacted r where "${place.table}"."${place.column}" = r.before`,
        );
    }
    return { pseudonyms, samples };
  } finally {
    session.close();
    writer.close();
  }
}

async function append(session: Session, pairs: readonly { before: string; after: string }[]): Promise<void> {
  const column = (texts: readonly string[]) => {
    const encoded = texts.map((text) => Buffer.from(text));
    const offsets = new Uint32Array(texts.length + 1);
    for (const [i, bytes] of encoded.entries()) offsets[i + 1] = offsets[i]! + bytes.length;
    return { type: 'text' as const, values: { bytes: Buffer.concat(encoded), offsets } };
  };
  await session.append(
    'redacted',
    [column(pairs.map(({ before }) => before)), column(pairs.map(({ after }) => after))],
    pairs.length,
  );
}

const MOST_SHOWN = 5;

/**
 * Looks for every original and for any address in all that goes along, in the files themselves.
 * @throws ProblemError redaction.leaks
 */
export async function assertRedacted(
  { session: connect }: Pick<Engine, 'session'>,
  files: readonly TableFile[],
  { pseudonyms, texts }: { readonly pseudonyms: Pseudonyms; readonly texts: Readonly<Record<string, string>> },
): Promise<void> {
  const find = pseudonyms.searcher();
  const leaks: string[] = [];
  const scan = (place: string, text: string): void => {
    const found = leaks.length < MOST_SHOWN ? find(text) : null;
    if (found !== null) leaks.push(`${found} in ${place}`);
  };
  const session = await connect();
  try {
    for (const place of await textColumns(session)) {
      const file = files.find(({ table }) => table === place.table);
      if (!file) continue;
      for await (const values of textsOf(session, place, file.path))
        for (const value of values) scan(`${place.table}.${place.column}`, value);
    }
  } finally {
    session.close();
  }
  for (const [place, text] of Object.entries(texts)) for (const line of text.split('\n')) scan(place, line);
  if (leaks.length > 0)
    fail('redaction.leaks', `names would still be there: ${leaks.join(', ')}`, {
      hint: 'nothing was written; add a rule for these places, or keep the name on purpose',
    });
}
