import type { Flame } from '../../../model/contract/index.ts';
import { entityKey } from '../../../model/entity.ts';
import { problemOf } from '../../client/problem-of.ts';
import { flameNodeText, fullName } from '../../draw/traces/flame-text.ts';
import { type FlameNode, type FlameOrder, flameSearch } from '../../draw/traces/flame-tree.ts';
import type { Action, ActionTarget } from '../../state/action-menu.ts';
import { client } from '../../state/client.ts';
import { showDifferences } from '../../state/difference-request.ts';
import { useFocus } from '../../state/focus.ts';
import { copyText, notify, showError } from '../../state/toasts.ts';
import { searchTraces } from '../../state/traces.ts';
import { messages } from './messages.ts';

export const showTracesOf = (node: FlameNode, order: FlameOrder): void => searchTraces(flameSearch(node, order));

/** The evidence id of a frame is the one of the slowest span on its path in the window. */
async function copyEvidence(node: FlameNode, order: FlameOrder): Promise<void> {
  const { window } = useFocus.getState();
  try {
    const { traces } = await client().call('traces.search', {
      query: flameSearch(node, order),
      start_ns: window.startNs,
      end_ns: window.endNs,
      order: 'slowest',
      limit: 1,
    });
    const [slowest] = traces;
    if (slowest) await copyText(slowest.ref, messages.evidenceId);
    else notify(messages.flame.noSpan);
  } catch (error) {
    showError(problemOf(error));
  }
}

/** Opens Differences for the spans of a frame: all spans of its service and name, whatever the caller. */
function showDifferencesOf({ service, name }: FlameNode, { start_ns, end_ns }: Flame['window']): void {
  const entities = service === null ? [] : [entityKey('service', service)];
  showDifferences({ start_ns, end_ns, entities, duration_ms: null, span_name: name });
}

interface FlameContext {
  readonly window: Flame['window'];
  readonly order: FlameOrder;
  readonly all: number;
  readonly isCompared: boolean;
}

/** Actions of a frame. `more` comes first. */
export function flameTarget(
  node: FlameNode,
  { window, order, all, isCompared }: FlameContext,
  more: readonly Action[] = [],
): ActionTarget {
  const label = fullName(node);
  const { service, name, time, self, total, spans, errors, baseTime } = node;
  const json = {
    service,
    name,
    time_ms: time,
    self_ms: self,
    total_ms: total,
    spans,
    errors,
    ...(isCompared ? { baseline_time_ms: baseTime } : {}),
  };
  return {
    label,
    actions: [
      { id: 'traces', title: messages.flame.showTraces, keys: 'Enter', run: () => showTracesOf(node, order) },
      ...more,
      {
        id: 'differs',
        title: messages.flame.differences,
        keys: 'U',
        disabled: node.isOther || node.name === null,
        run: () => showDifferencesOf(node, window),
      },
      {
        id: 'json',
        title: messages.copyJson,
        keys: 'J',
        run: () => void copyText(JSON.stringify({ ...json, query: flameSearch(node, order) }, null, 2), messages.json),
      },
      {
        id: 'markdown',
        title: messages.copyMarkdown,
        keys: 'K',
        run: () =>
          void copyText(
            `**${label}**: ${flameNodeText(node, all, isCompared)}\n\n\`${flameSearch(node, order)}\``,
            messages.markdown,
          ),
      },
      {
        id: 'id',
        title: messages.flame.copyId,
        keys: 'Y',
        run: () => void copyEvidence(node, order),
      },
    ],
  };
}
