import { useCallback, useMemo } from 'react';
import type { JobHeat, JobView } from '../../../model/contract/index.ts';
import { formatValue } from '../../draw/text/format-value.ts';
import { entityName } from '../../draw/text/gpu-text.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { type JobColour, useJobChoice } from '../../state/job-choice.ts';
import { HeatMap } from '../../widgets/heat-map.tsx';
import type { HeatMark } from '../../widgets/heat-map-parts.tsx';
import { JobBand } from './job-band.tsx';
import { placeText, secondsText } from './job-text.ts';
import { messages } from './messages.ts';
import type { JobRows } from './use-rows.ts';

interface JobHeatMapProps {
  readonly job: JobView;
  readonly heat: JobHeat;
  readonly rows: JobRows;
  readonly window: TimeWindow;
}

/** The ranks of a job over time, below what happened to it as a whole. */
export function JobHeatMap({ job, heat, rows, window }: JobHeatMapProps) {
  const { colour, range } = rows;
  const band = useCallback((width: number) => <JobBand heat={heat} window={window} width={width} />, [heat, window]);
  const marks = useMemo(() => marksOf(job), [job]);
  const stood = useMemo(() => stoodRows(heat), [heat]);
  return (
    <>
      <Bar heat={heat} colour={colour} isMismatched={marks.length > 0} />
      <HeatMap
        rows={{ ...rows, window, onSelect: rows.select }}
        label={messages.heat.label(messages.bar.colours[colour], Math.min(job.ranks, heat.ranks.length), stood)}
        groupOf={(row) => heat.ranks[row]?.hosts.map(entityName).join(', ') ?? ''}
        shortNameOf={(row) => heat.ranks[row]?.name ?? ''}
        marks={marks}
        range={range}
        ends={[endText(range[0], colour), endText(range[1], colour)]}
        stoodText={stood === 0 ? undefined : messages.heat.stood}
        nameOf={(row) => heat.ranks[row]?.name ?? ''}
        aboutOf={(row) => aboutText(heat, row)}
        cellText={(row, bucket) => cellText(heat, { row, bucket, colour })}
        band={band}
      />
    </>
  );
}

/** Ranks of one group that entered different operations under one number. */
const marksOf = ({ waited }: JobView): HeatMark[] =>
  waited.flatMap(({ row, kind, from_ns, text }) =>
    row >= 0 && kind === 'mismatched' ? [{ row, time: from_ns, text }] : [],
  );

/** Ranks of which a counter shows times without a step. */
const stoodRows = ({ ranks, values, buckets }: JobHeat): number =>
  [...ranks.keys()].filter((row) => values.subarray(row * buckets, (row + 1) * buckets).includes(Infinity)).length;

const timesText = (ratio: number): string => messages.heat.times(String(Number(ratio.toPrecision(3))));

function endText(value: number, colour: JobColour): string {
  if (colour === 'relative') return timesText(value);
  return colour === 'step' ? secondsText(value) : formatValue(100 * value, '%');
}

function aboutText({ ranks }: JobHeat, row: number): string {
  const rank = ranks[row];
  if (!rank) return '';
  const place = placeText(rank) || messages.heat.machineUnknown;
  return rank.steps === 0 ? `${place}; ${messages.heat.noSteps}` : place;
}

interface Cell {
  readonly row: number;
  readonly bucket: number;
  readonly colour: JobColour;
}

function cellText({ values, usual, buckets }: JobHeat, { row, bucket, colour }: Cell): string {
  const value = values[row * buckets + bucket] ?? Number.NaN;
  if (colour === 'wait') return messages.heat.wait(formatValue(100 * value, '%'));
  if (value === Number.POSITIVE_INFINITY) return messages.heat.noStep;
  const median = usual[bucket] ?? Number.NaN;
  if (colour === 'step') return messages.heat.step(secondsText(value));
  return messages.heat.relative(secondsText(value), timesText(value / median), secondsText(median));
}

interface BarProps extends Pick<JobHeatMapProps, 'heat'> {
  readonly colour: JobColour;
  readonly isMismatched: boolean;
}

function Bar({ heat, colour, isMismatched }: BarProps) {
  const order = useJobChoice((choice) => choice.order);
  const colours: readonly JobColour[] = heat.measures.flatMap((measure): JobColour[] =>
    measure === 'step' ? ['relative', 'step'] : ['wait'],
  );
  return (
    <div className="jobs-bar">
      <label>
        <span className="muted">{messages.bar.colour}</span>{' '}
        <select
          value={colour}
          onChange={(event) => useJobChoice.setState({ colour: event.target.value as JobColour })}
          data-testid="job-colour"
        >
          {colours.map((one) => (
            <option key={one} value={one}>
              {messages.bar.colours[one]}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span className="muted">{messages.bar.order}</span>{' '}
        <select
          value={order}
          onChange={(event) => useJobChoice.setState({ order: event.target.value as 'rank' | 'slowest' })}
        >
          <option value="rank">{messages.bar.rank}</option>
          <option value="slowest">{messages.bar.slowest}</option>
        </select>
      </label>
      {heat.ranks_total > heat.ranks.length ? (
        <span className="muted ellipsis">{messages.bar.left(heat.ranks.length, heat.ranks_total)}</span>
      ) : null}
      <span className="spring" />
      <span className="jobs-legend muted" aria-hidden="true">
        <i className="jobs-completed" /> {messages.band.completed} <i className="jobs-stalled" />{' '}
        {messages.band.stalled} <i className="jobs-restart" /> {messages.band.restart} <i className="jobs-checkpoint" />{' '}
        {messages.band.checkpoint}
        {isMismatched ? (
          <>
            {' '}
            <i className="heat-map-mark" /> {messages.band.mismatched}
          </>
        ) : null}
      </span>
    </div>
  );
}
