import type { Flame } from '../../../model/contract/index.ts';
import { changedMost, changeOf, changeText, fullName, lengthOf } from '../../draw/traces/flame-text.ts';
import type { FlameNode } from '../../draw/traces/flame-tree.ts';
import { withActions } from '../../widgets/action-menu.tsx';
import { flameTarget, showTracesOf } from './flame-actions.ts';

const MOST = 8;

interface FlameChangesProps {
  readonly window: Flame['window'];
  readonly nodes: readonly FlameNode[];
  readonly all: number;
}

/** Whose own time changed most: where an investigation goes on. */
export function FlameChanges({ window, nodes, all }: FlameChangesProps) {
  const changed = changedMost(nodes, MOST);
  return (
    <aside className="flame-changes" aria-label="Self time that changed most">
      <h2>Self time that changed most</h2>
      {changed.length === 0 ? (
        <p className="muted">No operation spends much more or less time on a request than before.</p>
      ) : (
        <ol>
          {changed.map((node) => (
            <li key={node.key}>
              <button
                type="button"
                className={`flame-change ${changeOf(node)}`}
                title="Shows its traces"
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
