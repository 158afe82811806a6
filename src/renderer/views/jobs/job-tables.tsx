import { useState } from 'react';
import { TabList } from '../../widgets/tab-list.tsx';
import { MarkTable } from './mark-table.tsx';
import { messages } from './messages.ts';
import { RankTable } from './rank-table.tsx';
import type { JobTablesProps } from './use-rows.ts';
import { WaitedTable } from './waited-table.tsx';

const tabs = (['waited', 'ranks', 'marks'] as const).map((id) => ({ id, title: messages.tabs[id] }));

/** What the heat map shows, and what was concluded, as tables. */
export function JobTables(props: JobTablesProps) {
  const [tab, setTab] = useState<(typeof tabs)[number]['id']>('waited');
  return (
    <section className="jobs-tables" aria-label={messages.tabs.label}>
      <TabList label={messages.tabs.label} tabs={tabs} selected={tab} onSelect={setTab} />
      {tab === 'waited' ? (
        <WaitedTable {...props} />
      ) : tab === 'ranks' ? (
        <RankTable {...props} />
      ) : (
        <MarkTable {...props} />
      )}
    </section>
  );
}
