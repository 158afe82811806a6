import { problemOf } from '../client/problem-of.ts';
import { showView } from './case-state.ts';
import { client } from './client.ts';
import { select, useFocus } from './focus.ts';
import { messages } from './messages.ts';
import { notify, showError } from './toasts.ts';

/** Opens the repair with an event or a span; shows a message if there is none. */
export async function showRepair(ref: string): Promise<void> {
  const { startNs, endNs } = useFocus.getState().bounds;
  try {
    const { lives } = await client().call('lifecycle.list', { start_ns: startNs, end_ns: endNs });
    const holds = lives.some((life) => life.ref === ref || life.steps.some((step) => step.ref === ref));
    if (!holds) return notify(messages.noRepair);
    select(ref);
    showView('lifecycle');
  } catch (error) {
    showError(problemOf(error));
  }
}
