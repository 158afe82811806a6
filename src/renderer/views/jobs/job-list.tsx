import { useMemo } from 'react';
import type { JobView } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { entityName } from '../../draw/text/gpu-text.ts';
import { selectEntities } from '../../state/focus.ts';
import { useJobChoice } from '../../state/job-choice.ts';
import { formatInstant, instantWidth, useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { hangText, jobName, lostText, secondsText, servicesText } from './job-text.ts';
import { messages } from './messages.ts';

interface JobListProps {
  readonly jobs: readonly JobView[];
  readonly total: number;
  readonly shown: JobView;
}

/** The jobs of the case; the state of the shown one in words. */
export function JobList({ jobs, total, shown }: JobListProps) {
  const format = useTimeFormat();
  const timeText = (time: bigint | null): string => (time === null ? '' : formatInstant(nanos(time), format, 0));
  const columns = useMemo(
    () => columnsOf((time) => (time === null ? '' : formatInstant(nanos(time), format, 0)), instantWidth(format, 72)),
    [format],
  );
  const hang = hangText(shown, timeText);
  const lost = lostText(shown, timeText);
  const texts = messages.reasons as Readonly<Record<string, (time: string) => string>>;
  return (
    <section className="jobs-list" aria-label={messages.list.label}>
      <DataTable<JobView>
        label={messages.list.label}
        columns={columns}
        rows={jobs}
        keyOf={({ id }) => id}
        selected={shown.id}
        onSelect={({ id, entity, services }) => {
          useJobChoice.setState({ job: id, row: null });
          selectEntities(entity === null ? [] : [entity, ...services]);
        }}
        empty={messages.empty.noJobs}
      />
      <p className="jobs-state" data-testid="job-state">
        <b>
          <JobNames job={shown} />
        </b>{' '}
        <span className={`job-${shown.state}`}>{messages.states[shown.state]}</span>{' '}
        {hang === '' ? (
          <span className="muted">{texts[shown.reason]?.(timeText(shown.since_ns))}</span>
        ) : (
          <span data-testid="job-hangs">{hang}</span>
        )}
        {lost === '' ? null : <span data-testid="job-lost"> {lost}</span>}
        {total > jobs.length ? <span className="muted"> {messages.list.left(total - jobs.length)}</span> : null}
      </p>
    </section>
  );
}

/** As an orchestrator calls it first, then as its own records do. */
function JobNames({ job }: { readonly job: JobView }) {
  const services = servicesText(job);
  return (
    <span title={job.services.length === 0 ? undefined : `${jobName(job)}, ${services}`}>
      {jobName(job)}
      {services === '' ? null : <span className="muted"> {services}</span>}
    </span>
  );
}

const waitedText = ({ waited, waited_total }: JobView): string =>
  waited[0] ? messages.list.others(waited[0].name, waited_total - 1) : '';

function columnsOf(timeText: (time: bigint | null) => string, timeWidth: string): readonly Column<JobView>[] {
  const time = (id: 'first' | 'last', of: (job: JobView) => bigint | null): Column<JobView> => ({
    id,
    title: messages.list[id],
    width: timeWidth,
    optional: true,
    cell: (job) => timeText(of(job)) || <span className="muted">{messages.list.unknown}</span>,
    sort: (job) => of(job) ?? 0n,
    instant: (job) => {
      const at = of(job);
      return at === null ? null : nanos(at);
    },
  });
  return [
    {
      id: 'job',
      title: messages.list.job,
      width: 'minmax(140px, 2fr)',
      cell: (job) => <JobNames job={job} />,
      sort: jobName,
      sheet: { cell: (job) => [jobName(job), ...job.services.map(entityName)].join(', ') },
    },
    {
      id: 'state',
      title: messages.list.state,
      width: '72px',
      cell: ({ state }) => <span className={`job-${state}`}>{messages.states[state]}</span>,
      sort: ({ state }) => state,
      sheet: { cell: ({ state }) => state },
    },
    {
      id: 'ranks',
      title: messages.list.ranks,
      numeric: true,
      width: '64px',
      cell: ({ ranks, ranks_with_steps }) => (
        <span title={messages.list.withSteps(ranks_with_steps, ranks)}>{formatCount(ranks)}</span>
      ),
      sort: ({ ranks }) => ranks,
    },
    {
      id: 'machines',
      title: messages.list.machines,
      numeric: true,
      width: '96px',
      cell: ({ hosts }) => (hosts === 0 ? <span className="muted">{messages.list.unknown}</span> : formatCount(hosts)),
      sort: ({ hosts }) => hosts,
    },
    time('first', ({ first_ns }) => first_ns),
    time('last', ({ last_ns }) => last_ns),
    {
      id: 'step',
      title: messages.list.step,
      numeric: true,
      width: '84px',
      optional: true,
      cell: ({ last_step }) => (last_step === null ? '' : formatCount(last_step)),
      sort: ({ last_step }) => last_step ?? -1,
    },
    {
      id: 'usual',
      title: messages.list.usual,
      numeric: true,
      width: '84px',
      optional: true,
      cell: ({ usual_s }) => secondsText(usual_s),
      sort: ({ usual_s }) => usual_s ?? -1,
    },
    {
      id: 'waited',
      title: messages.list.waited,
      width: 'minmax(100px, 1fr)',
      cell: waitedText,
      sort: ({ waited_total }) => waited_total,
    },
  ];
}
