import { useMemo, useState } from 'react';
import type { Output } from '../../../model/contract/index.ts';
import type { FindingView } from '../../../model/incident/finding.ts';
import { useFocus } from '../../state/focus.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { FindingDetail } from './finding-detail.tsx';
import { FindingList } from './finding-list.tsx';
import { messages } from './messages.ts';
import './patterns.css';

interface Choice {
  readonly id: string;
  readonly title: string;
  readonly matches: (finding: FindingView, window: TimeWindow) => boolean;
}

const choices: readonly Choice[] = [
  { id: 'all', title: messages.filters.all, matches: () => true },
  {
    id: 'window',
    title: messages.filters.window,
    matches: ({ start_ns, end_ns }, { startNs, endNs }) => start_ns <= endNs && end_ns >= startNs,
  },
  { id: 'complete', title: messages.filters.complete, matches: ({ verdict }) => verdict === 'complete' },
  { id: 'partial', title: messages.filters.partial, matches: ({ verdict }) => verdict === 'partial' },
];

/** Known failure patterns: findings with their entities, evidence, missing data and remediation. */
export function Patterns({ findings, looked_for, thresholds_changed, thresholds_problem }: Output<'patterns.list'>) {
  const [filterId, setFilterId] = useState('all');
  const [selected, select] = useState<string | null>(null);
  const window = useFocus((focus) => focus.window);
  const choice = choices.find(({ id }) => id === filterId)!;
  const shown = useMemo(() => findings.filter((one) => choice.matches(one, window)), [findings, choice, window]);
  const selectedFinding = shown.find(({ id }) => id === selected) ?? shown[0];
  const changed = thresholds_changed.map(({ text }) => text).join(', ');
  const thresholds = [
    changed === '' ? '' : messages.thresholds.changed(changed),
    thresholds_problem ? messages.thresholds.invalid(thresholds_problem.message) : '',
  ]
    .filter((text) => text !== '')
    .join(' ');
  if (findings.length === 0)
    return <p className="empty muted">{`${messages.none(looked_for.length)} ${thresholds}`.trim()}</p>;
  return (
    <div className="patterns">
      <div className="patterns-bar" role="toolbar" aria-label={messages.filters.label}>
        {choices.map(({ id, title, matches }) => (
          <button
            key={id}
            type="button"
            className="plain"
            aria-pressed={id === filterId}
            onClick={() => setFilterId(id)}
          >
            {title} <span className="muted">{findings.filter((one) => matches(one, window)).length}</span>
          </button>
        ))}
        <span className="spring" />
        {thresholds === '' ? null : <span className="muted">{thresholds}</span>}
        <span className="muted">{messages.count(looked_for.length)}</span>
      </div>
      <FindingList findings={shown} selected={selectedFinding?.id ?? null} onSelect={({ id }) => select(id)} />
      {selectedFinding ? <FindingDetail finding={selectedFinding} /> : null}
    </div>
  );
}
