import { useMemo } from 'react';
import type { Output, StageView, TraceGroup } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatDuration, formatTime } from '../../draw/text/format-time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { extentOf } from '../../draw/traces/trace-group-text.ts';
import { useCall } from '../../state/use-answer.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { messages } from './messages.ts';
import { TraceStageBars } from './trace-stage-bars.tsx';

type Stages = Output<'trace.stages'>;

/** Queue, prefill, decode and other stages of a request for a model, against those of the same service before. Nothing without such. */
export function TraceStagesBefore({ traceGroup }: { readonly traceGroup: TraceGroup }) {
  const { origin_ns, traces } = traceGroup;
  const { from_ns, until_ns } = useMemo(() => extentOf(traceGroup), [traceGroup]);
  const at = (ns: number): bigint => (origin_ns ?? 0n) + BigInt(Math.round(ns));
  const traceId = traces[0]?.trace_id;
  const { value, problem, retry } = useCall(
    'trace.stages',
    traceId === undefined || origin_ns === null
      ? null
      : { trace_id: traceId, start_ns: at(from_ns), end_ns: at(until_ns) },
  );
  const format = useTimeFormat();
  if (problem) return <ProblemNote problem={problem} what={messages.before.what} onRetry={retry} />;
  if (!value || value.stages.length === 0) return null;
  const timeText = (time: bigint): string => formatTime(nanos(time), format, 0);
  return (
    <section className="stages-before" aria-label={messages.before.label} data-testid="stages-before">
      <p className="muted">{aboutText(value, timeText)}</p>
      <TraceStageBars stages={value.stages} />
      <DataTable<StageView>
        label={messages.before.label}
        columns={columnsOf(value)}
        rows={value.stages}
        keyOf={({ service, stage }) => `${service} ${stage}`}
        empty={messages.before.none}
      />
    </section>
  );
}

function aboutText({ baseline, incident }: Stages, timeText: (time: bigint) => string): string {
  const { about } = messages.before;
  const during = incident ? about.during(timeText(incident.from_ns), timeText(incident.to_ns)) : about.noIncident;
  if (!baseline) return `${about.noBaseline} ${during}`;
  const [from, to] = [timeText(baseline.from_ns), timeText(baseline.to_ns)];
  return `${baseline.kind === 'hour' ? about.hour(from, to, baseline.days) : about.before(from, to)} ${during}`;
}

const secondsText = (seconds: number | undefined): string =>
  seconds === undefined ? '' : formatDuration(Math.round(seconds * 1e9));

function columnsOf({ incident }: Stages): readonly Column<StageView>[] {
  const figure = (
    id: 'middle' | 'p99' | 'duringMiddle' | 'requests',
    of: (row: StageView) => number | undefined,
    text: (value: number | undefined) => string = secondsText,
  ): Column<StageView> => ({
    id,
    title: messages.before[id],
    numeric: true,
    width: '112px',
    cell: (row) => text(of(row)),
    sort: (row) => of(row) ?? -1,
  });
  return [
    {
      id: 'stage',
      title: messages.before.stage,
      width: 'minmax(96px, 1fr)',
      cell: ({ stage }) => stage,
      sort: ({ stage }) => stage,
    },
    {
      id: 'service',
      title: messages.before.service,
      width: 'minmax(96px, 1fr)',
      cell: ({ service }) => service,
      sort: ({ service }) => service,
    },
    {
      id: 'own',
      title: messages.before.own,
      numeric: true,
      width: '96px',
      cell: ({ seconds }) => secondsText(seconds),
      sort: ({ seconds }) => seconds,
    },
    {
      id: 'times',
      title: messages.before.times,
      numeric: true,
      width: '96px',
      cell: (row) => timesText(row),
      sort: (row) => timesOf(row) ?? -1,
    },
    ...(incident ? [figure('duringMiddle', ({ during }) => during?.middle_s)] : []),
    figure('middle', ({ before }) => before?.middle_s),
    figure('p99', ({ before }) => before?.p99_s),
    figure(
      'requests',
      ({ before }) => before?.requests,
      (count) => (count === undefined ? messages.before.unknown : formatCount(count)),
    ),
  ];
}

const timesOf = ({ seconds, before }: StageView): number | null =>
  before && before.middle_s > 0 ? seconds / before.middle_s : null;

/** A stage that took longer than nearly all before is marked. */
function timesText(row: StageView) {
  const times = timesOf(row);
  if (times === null || !row.before) return '';
  const text = `× ${Number(times.toPrecision(2))}`;
  return row.seconds > row.before.p99_s ? <b title={messages.before.beyond}>▲ {text}</b> : text;
}
