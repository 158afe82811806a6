import { create } from 'zustand';
import { isAbort, problemOf } from '../client/problem-of.ts';
import { formatCount } from '../draw/text/format-value.ts';
import { client } from './client.ts';
import { useFocus } from './focus.ts';
import { saveMade } from './save-file.ts';
import { notify, showError } from './toasts.ts';

/** An export that is under way; null: none is. */
export const useExport = create<{ readonly progress: { readonly done: number; readonly total: number } | null }>()(
  () => ({ progress: null }),
);

let running: AbortController | undefined;
export const cancelExport = (): void => running?.abort();

/** The brushed time, else the window, of the things in focus, as a trace for Perfetto where the host's dialog says. */
export async function exportForPerfetto(): Promise<void> {
  if (running) return notify('an export is already running');
  running = new AbortController();
  const { signal } = running;
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
        if (event.left_out.length > 0) notify(`a trace has no place for ${event.left_out.join(', ')}`);
        const { spans = 0, events = 0, points = 0 } = event.rows;
        notify(
          `${formatCount(spans)} spans, ${formatCount(events)} events, ${formatCount(points)} points for ui.perfetto.dev`,
        );
      }
    }
    if (signal.aborted) notify('nothing was exported');
  } catch (error) {
    if (isAbort(error) || signal.aborted) notify('nothing was exported');
    else showError(problemOf(error));
  } finally {
    running = undefined;
    useExport.setState({ progress: null });
  }
}
