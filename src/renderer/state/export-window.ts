import { create } from 'zustand';
import { isAbort, problemOf } from '../client/problem-of.ts';
import { formatCount } from '../draw/text/format-value.ts';
import { client } from './client.ts';
import { useFocus } from './focus.ts';
import { messages } from './messages.ts';
import { saveMade } from './save-file.ts';
import { notify, showError } from './toasts.ts';

/** The running export; null: none. */
export const useExport = create<{
  readonly progress: { readonly done: number; readonly total: number } | null;
  readonly running: AbortController | null;
}>()(() => ({ progress: null, running: null }));

export const cancelExport = (): void => useExport.getState().running?.abort();

/** Exports the brush, or else the window, of the selected entities as a Perfetto trace; the dialog of the host selects where. */
export async function exportForPerfetto(): Promise<void> {
  if (useExport.getState().running) return notify(messages.exportRunning);
  const running = new AbortController();
  const { signal } = running;
  useExport.setState({ running });
  const { brush, window, entities } = useFocus.getState();
  const { startNs, endNs } = brush ?? window;
  const cut = {
    from_ns: startNs,
    to_ns: endNs,
    entities: entities.length > 0 ? [...entities] : null,
  };
  try {
    for await (const event of client().stream('export.trace', { cut }, signal)) {
      if (event.kind === 'progress') useExport.setState({ progress: event });
      else {
        await saveMade(event.name, event.download);
        if (event.left_out.length > 0) notify(messages.leftOut(event.left_out.join(', ')));
        const { spans = 0, events = 0, points = 0 } = event.rows;
        notify(messages.exported(formatCount(spans), formatCount(events), formatCount(points)));
      }
    }
    if (signal.aborted) notify(messages.nothingExported);
  } catch (error) {
    if (isAbort(error) || signal.aborted) notify(messages.nothingExported);
    else showError(problemOf(error));
  } finally {
    useExport.setState({ running: null, progress: null });
  }
}
