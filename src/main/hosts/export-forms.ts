import type { ExportEvent } from '../../model/contract/index.ts';
import { type Core, type Invocation, positional, text, withCore } from './commands/command.ts';
import { cutOf } from './cut-option.ts';

type Progress = Extract<ExportEvent, { kind: 'progress' }>;
type Done = Extract<ExportEvent, { kind: 'done' }>;

/** `export --parquet DIR`. */
export async function exportTables(invocation: Invocation): Promise<void> {
  const folder = text(invocation, 'parquet') ?? '';
  const overwrite = invocation.values.overwrite === true;
  const done = await exporting(invocation, (core, context) => {
    core.exportTo(folder, overwrite);
    return core.api['export.tables']({}, context);
  });
  const { out } = invocation.terminal;
  for (const [table, rows] of Object.entries(done.rows)) out(`${table}.parquet: ${rows} rows\n`);
  out(`wrote ${folder}: ${mebibytes(done)} MiB\n`);
}

/** `export --perfetto FILE`. */
export async function exportTrace(invocation: Invocation): Promise<void> {
  const file = text(invocation, 'perfetto') ?? '';
  const cut = cutOf(invocation);
  const done = await exporting(invocation, (core, context) => {
    core.exportTo(file, true);
    return core.api['export.trace']({ cut }, context);
  });
  const { out, err } = invocation.terminal;
  if (done.left_out.length > 0) err(`faultline: a trace has no place for ${done.left_out.join(', ')}\n`);
  const rows = Object.entries(done.rows).map(([what, count]) => `${count} ${what}`);
  out(`wrote ${file}: ${rows.join(', ')}, ${mebibytes(done)} MiB\n`);
}

/** `export --csv TABLE [--out FILE]`; standard output holds nothing else. */
export async function exportCsv(invocation: Invocation): Promise<void> {
  const table = text(invocation, 'csv') ?? '';
  const file = text(invocation, 'out');
  const done = await exporting(invocation, (core, context) => {
    core.exportTo(file, true);
    return core.api['export.csv']({ table }, context);
  });
  if (file !== null) invocation.terminal.out(`wrote ${file}: ${done.rows[table]} rows, ${mebibytes(done)} MiB\n`);
}

const mebibytes = ({ bytes }: Done): string => (bytes / 2 ** 20).toFixed(1);

async function exporting(
  invocation: Invocation,
  begin: (core: Core, context: { readonly signal: AbortSignal }) => AsyncIterable<ExportEvent>,
): Promise<Done> {
  const { terminal } = invocation;
  return withCore(invocation, undefined, async (core) => {
    await core.openCase(positional(invocation, 0, 'CASE'));
    for await (const event of begin(core, { signal: terminal.signal })) {
      if (event.kind === 'progress') showProgress(invocation, event);
      else {
        terminal.progress('');
        return event;
      }
    }
    terminal.signal.throwIfAborted();
    throw new Error('the export ended without a word');
  });
}

function showProgress({ terminal }: Invocation, { done, total }: Progress): void {
  const share = total === 0 ? `${done} rows` : `${Math.floor((100 * done) / total)} %`;
  terminal.progress(`exporting ${share}`);
}
