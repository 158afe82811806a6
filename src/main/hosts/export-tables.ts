import type { ExportEvent } from '../../model/contract/index.ts';
import { type Core, type Invocation, positional, text, withCore } from './commands/command.ts';

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
        if (terminal.interactive) terminal.err('\r\x1b[K');
        return event;
      }
    }
    terminal.signal.throwIfAborted();
    throw new Error('the export ended without a word');
  });
}

function showProgress({ terminal }: Invocation, { done, total }: Progress): void {
  if (!terminal.interactive) return;
  const share = total === 0 ? `${done} rows` : `${Math.floor((100 * done) / total)} %`;
  terminal.err(`\r\x1b[Kexporting ${share}`);
}
