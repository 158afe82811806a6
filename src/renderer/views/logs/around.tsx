import { useState } from 'react';
import type { LogRecord } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { senderText } from '../../draw/text/log-text.ts';
import { showDetails } from '../../state/case-state.ts';
import { select } from '../../state/focus.ts';
import { filterLogs } from '../../state/log-filter.ts';
import { useCall } from '../../state/use-answer.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { DataTable } from '../../widgets/data-table.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { messages } from './messages.ts';
import { logTarget, recordColumns } from './records.tsx';

const texts = messages.around;
const counts = [5, 20, 100, 500] as const;

/** What one sender wrote right before and after a line, whatever the search is. @param of evidence id of the line */
export function Around({ of }: { readonly of: string }) {
  const format = useTimeFormat();
  const [each, setEach] = useState<number>(20);
  const { value, problem, slow, retry } = useCall('logs.around', { ref: of, before: each, after: each }, ['log']);
  const sender = value?.records.find(({ ref }) => ref === of)?.entity ?? '';
  return (
    <section className="log-records" aria-label={texts.title} aria-busy={slow} data-testid="log-around">
      <header>
        <h3 className="ellipsis">{texts.of(sender === '' ? messages.unknown : senderText([sender], 1))}</h3>
        <select aria-label={texts.count} value={each} onChange={(event) => setEach(Number(event.target.value))}>
          {counts.map((count) => (
            <option key={count} value={count}>
              {texts.each(count)}
            </option>
          ))}
        </select>
        <span className="spring" />
        <button type="button" className="plain" onClick={() => filterLogs({ around: null })}>
          {texts.back}
        </button>
      </header>
      {problem ? <ProblemNote problem={problem} what={texts.what} onRetry={retry} /> : null}
      {value ? (
        <DataTable<LogRecord>
          label={texts.title}
          columns={recordColumns(format)}
          rows={value.records}
          keyOf={({ ref }) => ref}
          selected={of}
          onSelect={({ ref, time_ns }) => {
            select(ref, nanos(time_ns));
            showDetails();
          }}
          actionsOf={logTarget}
          empty={texts.none}
        />
      ) : null}
    </section>
  );
}
