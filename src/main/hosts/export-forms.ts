import type { ExportEvent } from '../../model/contract/index.ts';
import { type Core, type Invocation, positional, text, withCore } from './commands/command.ts';
import { messages as common } from './commands/messages/common.ts';
import { messages } from './commands/messages/export.ts';
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
  for (const [table, rows] of Object.entries(done.rows)) out(`${table}.parquet: ${common.rows(rows)}\n`);
  out(`${common.wrote(folder, sizeText(done))}\n`);
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
  if (done.left_out.length > 0) err(`faultline: ${messages.leftOut(done.left_out.join(', '))}\n`);
  const rows = Object.entries(done.rows).map(([what, count]) => `${count} ${what}`);
  out(`${common.wrote(file, [...rows, sizeText(done)].join(', '))}\n`);
}

/** `export --csv TABLE [--out FILE]`; standard output contains nothing else. */
export async function exportCsv(invocation: Invocation): Promise<void> {
  const table = text(invocation, 'csv') ?? '';
  const file = text(invocation, 'out');
  const done = await exporting(invocation, (core, context) => {
    core.exportTo(file, true);
    return core.api['export.csv']({ table }, context);
  });
  if (file !== null)
    invocation.terminal.out(`${common.wrote(file, `${common.rows(done.rows[table])}, ${sizeText(done)}`)}\n`);
}

const sizeText = ({ bytes }: Done): string => common.megabytes((bytes / 2 ** 20).toFixed(1));

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
    throw new Error('the export ended without a result');
  });
}

function showProgress({ terminal }: Invocation, { done, total }: Progress): void {
  const share = total === 0 ? common.rows(done) : common.percent(Math.floor((100 * done) / total));
  terminal.progress(messages.exporting(share));
}
