import { useMemo, useState } from 'react';
import type { LifeView, UntreatedView } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { cannedSearches } from '../../state/canned-searches.ts';
import { select, useFocus } from '../../state/focus.ts';
import { searchEverywhere } from '../../state/traces.ts';
import { TabList } from '../../widgets/tab-list.tsx';
import { LifeChart } from './life-chart.tsx';
import { lifeFilters } from './life-filters.ts';
import { LifeList } from './life-list.tsx';
import { LifeSteps } from './life-steps.tsx';
import { messages } from './messages.ts';
import { Parts, type PartsProps } from './parts.tsx';
import { Untreated } from './untreated.tsx';
import './lifecycle.css';

interface LifecycleProps {
  readonly lives: readonly LifeView[];
  readonly untreated: readonly UntreatedView[];
  readonly untreated_count: number;
  readonly truncated: boolean;
}

const calls = cannedSearches.filter(({ id }) => ['database', 'api', 'errors'].includes(id));

function Calls() {
  return (
    <>
      <span className="muted">{messages.calls.own}</span>
      {calls.map(({ id, title, query }) => (
        <button key={id} type="button" className="link" title={query} onClick={() => searchEverywhere(query)}>
          {title}
        </button>
      ))}
    </>
  );
}

type Tab = 'repairs' | 'parts';

interface LifecycleAnswer {
  readonly repairs: LifecycleProps;
  readonly parts: PartsProps;
}

/** What became of faults, and of the hardware that had them. */
export function Lifecycle({ repairs, parts }: LifecycleAnswer) {
  const [chosen, choose] = useState<Tab | null>(null);
  const selected = useFocus((focus) => focus.selected);
  const isOfPart = selected?.startsWith('entity:') ?? false;
  const hasRepairs = repairs.lives.length > 0 || repairs.untreated_count > 0;
  const tab = chosen ?? (isOfPart || (!hasRepairs && parts.parts.length > 0) ? 'parts' : 'repairs');
  const tabs = [
    { id: 'repairs' as const, title: messages.tabs.repairs(formatCount(repairs.lives.length)) },
    { id: 'parts' as const, title: messages.tabs.parts(formatCount(parts.total)) },
  ];
  return (
    <div className="lifecycle-tabs">
      <TabList label={messages.tabs.label} tabs={tabs} selected={tab} onSelect={choose} />
      <div className="lifecycle-tab">{tab === 'repairs' ? <Repairs {...repairs} /> : <Parts {...parts} />}</div>
    </div>
  );
}

/** Health events through detection, quarantine, drain and remediation, with their waits and outcomes. */
function Repairs({ lives, untreated, untreated_count, truncated }: LifecycleProps) {
  const [filterId, setFilterId] = useState('all');
  const lifeFilter = lifeFilters.find(({ id }) => id === filterId) ?? lifeFilters[0];
  const shown = useMemo(
    () => (lifeFilter ? lives.filter(lifeFilter.matches).toSorted(lifeFilter.order) : lives),
    [lives, lifeFilter],
  );
  const selected = useFocus((focus) => focus.selected);
  const selectedLife =
    shown.find(({ ref, steps }) => ref === selected || steps.some((step) => step.ref === selected)) ?? shown[0];
  if (lives.length === 0)
    return (
      <>
        <p className="empty muted">{messages.empty}</p>
        <Untreated untreated={untreated} count={untreated_count} />
      </>
    );
  return (
    <div className="lifecycle">
      <div>
        <div className="lifecycle-bar" role="toolbar" aria-label={messages.calls.repairs}>
          {lifeFilters.map(({ id, title, matches }) => (
            <button
              key={id}
              type="button"
              className="plain"
              aria-pressed={id === filterId}
              onClick={() => setFilterId(id)}
            >
              {title}{' '}
              <span className="muted">
                {lives.filter(matches).length + (id === 'not-remediated' ? untreated_count : 0)}
              </span>
            </button>
          ))}
          <span className="spring" />
          <Calls />
          {truncated ? <span className="muted">{messages.truncated}</span> : null}
        </div>
        {filterId === 'not-remediated' ? <Untreated untreated={untreated} count={untreated_count} /> : null}
      </div>
      <LifeList
        lives={shown}
        selected={selectedLife?.ref ?? null}
        empty={lifeFilter?.none ?? ''}
        onSelect={({ ref, start_ns }) => select(ref, nanos(start_ns))}
      />
      {selectedLife ? (
        <section className="life" aria-label={messages.one}>
          <LifeChart life={selectedLife} />
          <LifeSteps life={selectedLife} />
        </section>
      ) : null}
    </div>
  );
}
