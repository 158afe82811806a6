import type { Flame } from '../../../model/contract/index.ts';
import { changedMost, changeOf, changeText, fullName, lengthOf } from '../../draw/traces/flame-text.ts';
import type { FlameNode } from '../../draw/traces/flame-tree.ts';
import { withActions } from '../../widgets/action-menu.tsx';
import { flameTarget, showTracesOf } from './flame-actions.ts';
import { messages } from './messages.ts';

const MOST = 8;

interface FlameChangesProps {
  readonly window: Flame['window'];
  readonly nodes: readonly FlameNode[];
  readonly all: number;
}

/** Operations with the largest change of self time: a good next step of the investigation. */
export function FlameChanges({ window, nodes, all }: FlameChangesProps) {
  const changed = changedMost(nodes, MOST);
  return (
    <aside className="flame-changes" aria-label={messages.flame.changesTitle}>
      <h2>{messages.flame.changesTitle}</h2>
      {changed.length === 0 ? (
        <p className="muted">{messages.flame.noChanges}</p>
      ) : (
        <ol>
          {changed.map((node) => (
            <li key={node.key}>
              <button
                type="button"
                className={`flame-change ${changeOf(node)}`}
                title={messages.flame.showTraces}
                onClick={() => showTracesOf(node, 'self')}
                {...withActions(() => flameTarget(node, { window, order: 'self', all, isCompared: true }))}
              >
                <span className="ellipsis">{fullName(node)}</span>
                <span className="flame-change-words">{changeText(node)}</span>
                <span className="muted">
                  {lengthOf(node.baseTime)} → {lengthOf(node.time)}
                </span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </aside>
  );
}
