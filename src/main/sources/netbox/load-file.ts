import { csvRows } from '../../../base/csv-reader.ts';
import type { SourceFile } from '../../../model/storage/source.ts';
import { headOf } from '../bytes/head.ts';
import { asObject, asText, rawText } from '../bytes/json-access.ts';
import { jsonRecords } from '../bytes/json-records.ts';
import { wholeText } from '../bytes/whole-file.ts';
import { headerOf } from './csv-header.ts';
import { choiceOf, dumpLists, type Item, type Table, tableOfColumns, tableOfRecord } from './format.ts';
import { itemOfRow } from './from-csv.ts';
import { itemOfJson } from './from-json.ts';

/** Receives the records of a file. */
export interface Sink {
  add(item: Item): void;
  /** A record of a kind that is not read. */
  other(what: string): void;
  reject(at: number, reason: string, excerpt: string): void;
}

/** Reads one file of an export. @returns its length in bytes, decompressed */
export async function loadFile(file: SourceFile, sink: Sink): Promise<number> {
  const head = await headOf(file.open());
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of file.open()) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  if (/^\s*[{[]/.test(head.text)) await loadJson(counted(), listsIn(head.object), sink);
  else loadTable(await wholeText(counted(), file.path), file.path, sink);
  return bytes;
}

/** The lists of records in a document; none: the document is a list, or its lines are the records. */
function listsIn(object: Readonly<Record<string, unknown>>): readonly string[] {
  if ('results' in object && !('url' in object)) return ['results'];
  return dumpLists.some((name) => Array.isArray(object[name])) && !('url' in object) ? dumpLists : [];
}

async function loadJson(chunks: AsyncIterable<Uint8Array>, lists: readonly string[], sink: Sink): Promise<void> {
  for await (const record of jsonRecords(chunks, lists)) {
    if (record.reason !== undefined) sink.reject(record.at, record.reason, record.excerpt);
    // The members of a page around its records: count, next, previous.
    else if (lists.length === 0 || lists.includes(record.path)) loadRecord(record.at, record.value, sink);
  }
}

function loadRecord(at: number, value: unknown, sink: Sink): void {
  const record = asObject(value);
  const table = tableOfRecord(record);
  const endpoint = /\/api\/([a-z-]+\/[a-z-]+)\//.exec(asText(record.url))?.[1];
  if (!table) {
    if (endpoint) sink.other(`records of ${endpoint}`);
    else sink.reject(at, 'not a NetBox record', rawText(value).slice(0, 500));
    return;
  }
  const item = itemOfJson(table, record);
  if (item.id === '' && item.name === '') sink.reject(at, 'neither a number nor a name', rawText(value).slice(0, 500));
  else sink.add(item);
}

function loadTable(text: string, path: string, sink: Sink): void {
  const header = headerOf(text);
  const rows = header ? [...csvRows(text, header.delimiter)].slice(1) : [];
  const table = header && tableOfTable(header.columns, rows[0]?.cells ?? [], path);
  if (!header || !table) return sink.reject(0, 'not a NetBox table', text.slice(0, 500));
  for (const { record, cells } of rows) {
    if (cells.length !== header.columns.length) {
      sink.reject(
        record,
        `record ${record} has ${cells.length} cells below ${header.columns.length} columns`,
        cells.join(),
      );
      continue;
    }
    const row = new Map(header.columns.map((name, i) => [name, cells[i]!]));
    const item = itemOfRow(table, row);
    if (item.table !== 'cable' && item.name === '') sink.reject(record, `record ${record} has no name`, cells.join());
    else sink.add(item);
  }
}

/** Panels are recognised by their location: see `owns` of the source. */
function tableOfTable(columns: readonly string[], first: readonly string[], path: string): Table | undefined {
  const found = tableOfColumns(new Set(columns), choiceOf(first[columns.indexOf('type')]));
  const isPanel = columns.includes('site') && columns.includes('name') && /power[-_ ]?panels?/i.test(path);
  return found ?? (isPanel ? 'power_panel' : undefined);
}
