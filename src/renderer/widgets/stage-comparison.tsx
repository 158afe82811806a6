import type { Stages, StageView } from '../../model/contract/index.ts';
import { stageText } from '../../model/telemetry/serving-stages.ts';
import { nanos } from '../../model/time.ts';
import { formatDuration, formatTime } from '../draw/text/format-time.ts';
import { formatCount } from '../draw/text/format-value.ts';
import { useTimeFormat } from '../state/use-time-format.ts';
import type { Column } from './column.ts';
import { DataTable } from './data-table.tsx';
import { messages } from './messages.ts';
import { StageBars } from './stage-bars.tsx';
import './stages.css';

const texts = messages.stages;

/** Queue, prefill, decode and other stages of requests for a model, against those of the same service before. Nothing without such. */
export function StageComparison({ label, ...value }: Stages & { readonly label: string }) {
  const format = useTimeFormat();
  if (value.stages.length === 0) return null;
  const timeText = (time: bigint): string => formatTime(nanos(time), format, 0);
  const names = namesOf(value.stages);
  return (
    <section className="stages-before" aria-label={label} data-testid="stages-before">
      <p className="muted">
        {names.length === 1 ? `${names[0]}. ` : ''}
        {aboutText(value, timeText)}
      </p>
      <StageBars stages={value.stages} />
      <DataTable<StageView>
        label={label}
        columns={columnsOf(value)}
        rows={value.stages}
        keyOf={({ service, model, stage, tool }) => JSON.stringify([service, model, stage, tool])}
        empty={texts.none}
      />
    </section>
  );
}

function aboutText({ stages, baseline, incident }: Stages, timeText: (time: bigint) => string): string {
  const { about } = texts;
  const during = incident ? about.during(timeText(incident.from_ns), timeText(incident.to_ns)) : about.noIncident;
  const measured = stages.filter(({ source }) => source === 'metrics').length;
  const source = measured === 0 ? [] : [measured === stages.length ? texts.fromMetrics : texts.fromBoth];
  const computed = stages.some((stage) => stage.computed) ? [texts.computed] : [];
  if (!baseline) return [...source, about.noBaseline, during, ...computed].join(' ');
  const [from, to] = [timeText(baseline.from_ns), timeText(baseline.to_ns)];
  const before = baseline.kind === 'hour' ? about.hour(from, to, baseline.days) : about.before(from, to);
  return [...source, before, during, ...computed].join(' ');
}

const namesOf = (stages: readonly StageView[]): string[] => [
  ...new Set(stages.map(({ service, model }) => (model === null ? service : `${service} (${model})`))),
];

const secondsText = (seconds: number | null | undefined): string =>
  seconds === undefined || seconds === null ? '' : formatDuration(Math.round(seconds * 1e9));

type Figure = number | null | undefined;

const figure = (
  id: string,
  title: string,
  of: (row: StageView) => Figure,
  text: (value: Figure) => string = secondsText,
): Column<StageView> => ({
  ...{ id, title, numeric: true, width: '76px' },
  cell: (row) => text(of(row)),
  sort: (row) => of(row) ?? -1,
});
const words = (
  id: 'stage' | 'service' | 'model' | 'source',
  of: (row: StageView) => string,
  width = 'minmax(84px, 1fr)',
): Column<StageView> => ({ id, title: texts[id], width, cell: of, sort: of });

function columnsOf({ stages, incident }: Stages): readonly Column<StageView>[] {
  const [first] = stages;
  const source = stages.every((stage) => stage.source === first?.source) ? first?.source : undefined;
  const titles = source
    ? { during: texts.during[source], middle: texts.middle[source] }
    : { during: texts.mixed.during, middle: texts.mixed.middle };
  const isSeveral = namesOf(stages).length > 1;
  const own = stages.some(({ seconds }) => seconds !== null);
  // Only where the stages alone identify the rows.
  const leaveOut = new Set(stages.map(stageText)).size === stages.length ? ({ optional: true } as const) : {};
  return [
    words('stage', ({ stage, tool, computed }) => `${stageText({ stage, tool })}${computed ? ' ≈' : ''}`),
    ...(isSeveral ? [{ ...words('service', ({ service }) => service), ...leaveOut }] : []),
    ...(isSeveral && stages.some(({ model }) => model !== null)
      ? [{ ...words('model', ({ model }) => model ?? ''), ...leaveOut }]
      : []),
    ...(source ? [] : [words('source', (row) => row.source, '72px')]),
    ...(own ? [figure('own', texts.own, ({ seconds }) => seconds)] : []),
    ...(incident || !own ? [figure('during', titles.during, ({ during }) => during?.seconds)] : []),
    figure('middle', titles.middle, ({ before }) => before?.seconds),
    {
      ...{ id: 'times', title: texts.times, numeric: true, width: '56px', optional: true as const },
      cell: (row) => timesText(row),
      sort: (row) => timesOf(row) ?? -1,
    },
    ...(stages.some(({ before }) => (before?.p99_s ?? null) !== null)
      ? [{ ...figure('p99', texts.p99, ({ before }) => before?.p99_s), optional: true as const }]
      : []),
    {
      ...figure(
        'requests',
        texts.requests,
        ({ before }) => before?.requests,
        (count) => (typeof count === 'number' ? formatCount(count) : texts.unknown),
      ),
      optional: true,
    },
  ];
}

/** Of this trace, else of the incident. */
const takenOf = ({ seconds, during }: StageView): number | null => seconds ?? during?.seconds ?? null;

function timesOf(row: StageView): number | null {
  const taken = takenOf(row);
  return taken !== null && row.before && row.before.seconds > 0 ? taken / row.before.seconds : null;
}

/** A stage of a trace that took longer than nearly all before is marked. */
function timesText(row: StageView) {
  const times = timesOf(row);
  if (times === null || !row.before) return '';
  const text = `× ${Number(times.toPrecision(2))}`;
  const isBeyond = row.seconds !== null && row.before.p99_s !== null && row.seconds > row.before.p99_s;
  return isBeyond ? <b title={texts.beyond}>▲ {text}</b> : text;
}
