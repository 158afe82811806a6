import type { BundleCut, CallContext, ExportEvent, Parsed } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import type { TextColumn } from '../../../model/rows/rows.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { firstNumber } from '../../../model/storage/engine.ts';
import type { ExportFiles, ExportSelect, ExportTarget, ExportWork } from '../../../model/storage/export-files.ts';
import { inSnapshot, rowsOf } from '../../store/case-file/case-file.ts';
import { csvSelect } from '../../store/copies/csv-select.ts';
import { type CaseCut, cutConditions } from '../../store/copies/cut-case.ts';
import { exportedRows, exportTables } from '../../store/exports/index.ts';
import { queries } from '../../store/queries/index.ts';
import type { OpenCase } from '../cases/open-case.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { streamEvents } from '../stream-events.ts';
import { type TraceExportResult, traceText } from '../window-trace/trace-text.ts';
import type { Workspace } from '../workspace.ts';
import { selectedEntities } from './bundle-cut.ts';

type Written = Pick<Extract<ExportEvent, { kind: 'done' }>, 'bytes' | 'rows' | 'left_out'>;

interface Exporting {
  readonly opened: OpenCase;
  readonly files: ExportFiles;
  readonly target: ExportTarget;
  readonly work: ExportWork;
}

/** Exports for other tools. */
export function exportHandlers(workspace: Workspace, { exports, host, files }: ApiDependencies) {
  /** @throws ProblemError export.no_files */
  const writing = (
    context: CallContext,
    ending: string,
    write: (exporting: Exporting) => Promise<Written>,
  ): AsyncGenerator<ExportEvent> =>
    streamEvents(context, async (emit, signal) => {
      const opened = workspace.required();
      const target = await host.exportTarget?.(`${opened.stored.name}${ending}`);
      if (!exports || !target)
        return fail('export.no_files', 'nothing is exported here', { hint: 'use the desktop app or the command line' });
      const onProgress = (done: number, total: number) => emit({ kind: 'progress', done, total });
      const written = await write({ opened, files: exports, target, work: { signal, onProgress } });
      const registered = target.path === null ? null : await files.register(target.path);
      const name = registered?.name ?? 'standard output';
      emit({ kind: 'done', name, ...written, download: target.download ? (registered?.handle ?? null) : null });
    });
  return {
    'export.tables': (_: object, context: CallContext) => writing(context, '-parquet', writeTables),
    'export.trace': ({ cut }: Parsed<'export.trace'>, context: CallContext) =>
      writing(context, '.trace.json', (exporting) => writeTrace(exporting, cut)),
    'export.csv': ({ table }: Parsed<'export.csv'>, context: CallContext) =>
      writing(context, `-${table}.csv`, (exporting) => writeCsv(exporting, table)),
  };
}

async function writeTables({ opened, files, target, work }: Exporting): Promise<Written> {
  const selects = await opened.withSession(async (session) => {
    const found: ExportSelect[] = [];
    for (const [table, sql] of Object.entries(exportTables))
      found.push({ table, ...(await exportedRows(session, table, sql)), metadata: { faultline: table } });
    return found;
  });
  const tables = await opened.exports.take(
    () => files.writeTables(opened.stored.engine, selects, target, work),
    work.signal,
  );
  return {
    bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: Object.fromEntries(tables.map(({ table, rows }) => [table, rows])),
    left_out: [],
  };
}

async function writeTrace({ opened, files, target, work }: Exporting, cut: BundleCut | null): Promise<Written> {
  const wholeCase: CaseCut = { from_ns: null, to_ns: null, entities: null };
  const selectedCut = cut === null ? wholeCase : { ...cut, entities: await selectedEntities(opened, cut.entities) };
  const conditions = cutConditions(selectedCut);
  return opened.withSession((session) =>
    inSnapshot(session, async () => {
      const outcome: TraceExportResult = { rows: {}, left_out: [] };
      const order = { name: opened.stored.name, conditions, onRows: work.onProgress };
      const bytes = await files.writeText(target, traceText(session, order, outcome), work);
      return { bytes, ...outcome };
    }),
  );
}

/** @throws ProblemError export.unknown_table */
async function writeCsv({ opened, files, target, work }: Exporting, table: string): Promise<Written> {
  return opened.withSession((session) =>
    inSnapshot(session, async () => {
      const columns = rowsOf<{ name: string; column: string; type: string }>(await session.query(queries.relations));
      const own = columns.filter(({ name }) => name === table).map(({ column, type }) => ({ name: column, type }));
      if (own.length === 0)
        return fail('export.unknown_table', `there is no table "${table}" in a case`, {
          hint: `there are ${[...new Set(columns.map(({ name }) => name))].join(', ')}`,
        });
      const counted = await session.query(`select count(*)::double from "${table}"`);
      const rows = firstNumber(counted);
      const bytes = await files.writeText(target, csvPieces(session, csvSelect(table, own), rows, work), work);
      return { bytes, rows: { [table]: rows }, left_out: [] };
    }),
  );
}

async function* csvPieces(
  session: Session,
  { head, sql }: ReturnType<typeof csvSelect>,
  rows: number,
  { onProgress }: ExportWork,
): AsyncGenerator<string | Uint8Array> {
  yield head;
  let done = 0;
  for await (const { count, columns } of session.stream(sql, { line: 'text' })) {
    const { bytes, offsets } = columns.line as TextColumn;
    done += count;
    onProgress(done, rows);
    yield bytes.subarray(offsets[0], offsets[count]);
  }
  // A stream that ran out of memory ends without an error.
  if (done !== rows) fail('export.incomplete', `only ${done} of ${rows} rows could be read`);
}
