import type { CallContext, ExportEvent } from '../../model/contract/index.ts';
import type { ExportFiles, ExportTarget, ExportWork } from '../../model/export-files.ts';
import { fail } from '../../model/problem.ts';
import { exportTables } from '../store/exports/index.ts';
import type { ApiDependencies } from './dependencies.ts';
import type { Desk } from './desk.ts';
import type { OpenCase } from './open-case.ts';
import { told } from './told.ts';

type Written = Pick<Extract<ExportEvent, { kind: 'done' }>, 'bytes' | 'rows' | 'left_out'>;

interface Exporting {
  readonly opened: OpenCase;
  readonly files: ExportFiles;
  readonly target: ExportTarget;
  readonly work: ExportWork;
}

/** The open case for other tools. */
export function exportHandlers(desk: Desk, { exports, host, files }: ApiDependencies) {
  /** @throws ProblemError export.no_files */
  const writing = (
    context: CallContext,
    ending: string,
    write: (exporting: Exporting) => Promise<Written>,
  ): AsyncGenerator<ExportEvent> =>
    told(context, async (tell, signal) => {
      const opened = desk.required();
      const target = await host.exportTarget?.(`${opened.stored.name}${ending}`);
      if (!exports || !target)
        return fail('export.no_files', 'nothing is exported here', { hint: 'use the desktop app or the command line' });
      const onProgress = (done: number, total: number) => tell({ kind: 'progress', done, total });
      const written = await write({ opened, files: exports, target, work: { signal, onProgress } });
      const registered = target.path === null ? null : await files.register(target.path);
      const name = registered?.name ?? 'standard output';
      tell({ kind: 'done', name, ...written, download: target.download ? (registered?.handle ?? null) : null });
    });
  return {
    'export.tables': (_: object, context: CallContext) => writing(context, '-parquet', writeTables),
  };
}

async function writeTables({ opened, files, target, work }: Exporting): Promise<Written> {
  const selects = Object.entries(exportTables).map(([table, sql]) => ({ table, sql, metadata: { faultline: table } }));
  const tables = await files.writeTables(opened.stored.engine, selects, target, work);
  return {
    bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: Object.fromEntries(tables.map(({ table, rows }) => [table, rows])),
    left_out: [],
  };
}
