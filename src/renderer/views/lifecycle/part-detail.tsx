import type { PartMoment, PartView } from '../../../model/contract/index.ts';
import type { Nanos } from '../../../model/time.ts';
import { nanos } from '../../../model/time.ts';
import { axisTicks } from '../../draw/canvas/axis.ts';
import { timeScale, xOf } from '../../draw/canvas/time-scale.ts';
import { formatCount, readableType } from '../../draw/text/format-value.ts';
import { entityName, metricTitle } from '../../draw/text/gpu-text.ts';
import { recordTarget } from '../../state/actions.ts';
import { showDetails, showView } from '../../state/case-state.ts';
import { select, selectEntity, useFocus } from '../../state/focus.ts';
import { formatInstant, instantWidth, useTimeFormat } from '../../state/use-time-format.ts';
import { actByKey, openAt } from '../../widgets/action-menu.tsx';
import { useWidth } from '../../widgets/use-width.ts';
import { messages } from './messages.ts';
import { partName } from './part-name.ts';
import { TimeTicks } from './time-ticks.tsx';

interface PartDetailProps {
  readonly part: PartView;
  /** The recording. */
  readonly from: Nanos;
  readonly until: Nanos;
}

/** One part over the whole recording: what is known of it, how its error counters grew, and what happened to it. */
export function PartDetail({ part, from, until }: PartDetailProps) {
  const { entity, serial, model, firmware, place, counters, moments } = part;
  const facts = [
    [messages.parts.part, partName(part) === entityName(entity) ? '' : entityName(entity)],
    [messages.parts.serial, serial],
    [messages.parts.model, model],
    [messages.parts.firmware, firmware],
    [messages.parts.place, place ?? ''],
  ].filter(([, value]) => value !== '');
  return (
    <section className="life part-history" aria-label={messages.parts.one}>
      <p className="life-head">
        <b>{partName(part)}</b>
        <span className="muted ellipsis">{facts.map(([name, value]) => `${name} ${value}`).join(', ')}</span>
        <span className="spring" />
        <button
          type="button"
          className="plain"
          onClick={() => {
            selectEntity(entity);
            showView('timeline');
          }}
        >
          {messages.steps.timeline}
        </button>
      </p>
      <Course part={part} from={from} until={until} />
      {counters.length === 0 && moments.length === 0 ? <p className="empty muted">{messages.parts.calm}</p> : null}
      <Moments moments={moments} />
    </section>
  );
}

const ROW = 28;
const AXIS = 20;
const LABELS = 196;
const VALUES = 84;

/** Growth of each error counter in equal parts of the recording, with the failures and changes above them. */
function Course({ part: { counters, moments, first_ns, last_ns }, from, until }: PartDetailProps & { part: PartView }) {
  const { place, width } = useWidth();
  const format = useTimeFormat();
  const inner = Math.max(1, width - LABELS - VALUES);
  const scale = timeScale(from, until, inner);
  const height = ROW * (counters.length + 1);
  const x = (time: bigint): number => Math.min(inner, Math.max(0, xOf(scale, time)));
  return (
    <div className="part-course" ref={place}>
      <svg width={width} height={height + AXIS} role="img" aria-label={messages.parts.course}>
        <g transform={`translate(${LABELS} 0)`}>
          <TimeTicks ticks={axisTicks(scale, format)} height={height} />
          <text className="chart-text" x={-8} y={ROW / 2 + 4} textAnchor="end">
            {messages.parts.recorded}
          </text>
          {first_ns === null || last_ns === null ? null : (
            <rect
              className="part-recorded"
              x={x(first_ns)}
              width={Math.max(2, x(last_ns) - x(first_ns))}
              y={ROW / 2 - 3}
              height={6}
            />
          )}
          {inFront(moments).map((moment) => (
            <Mark key={`${moment.ref} ${moment.type}`} role={moment.role} x={x(moment.time_ns)} />
          ))}
          {counters.map(({ metric, course, grown }, row) => {
            const base = (row + 2) * ROW - 4;
            return (
              <g key={metric}>
                <text className="chart-text" x={-8} y={base - 6} textAnchor="end">
                  {metricTitle(metric)}
                </text>
                <path className="part-bar" d={barsPath(course, { width: inner / course.length, base })} />
                <text className="chart-text" x={inner + 8} y={base - 6}>
                  {`+${formatCount(grown)}`}
                </text>
              </g>
            );
          })}
        </g>
      </svg>
    </div>
  );
}

/** A bar for each part of the time, a line where nothing grew. */
function barsPath(
  course: readonly number[],
  { width, base }: { readonly width: number; readonly base: number },
): string {
  const most = Math.max(1, ...course);
  return course
    .map((value, at) => {
      const height = value === 0 ? 1 : Math.max(2, ((ROW - 8) * value) / most);
      return `M${at * width + 1} ${base}v${-height}h${Math.max(1, width - 2)}v${height}z`;
    })
    .join('');
}

/** Failures are drawn over signs of them. */
const inFront = (moments: readonly PartMoment[]): PartMoment[] =>
  moments.toSorted((a, b) => Number(a.role === 'fault') - Number(b.role === 'fault'));

/** A failure is a triangle, a sign of one a ring, a change a square: shape and colour. */
function Mark({ role, x }: { readonly role: PartMoment['role']; readonly x: number }) {
  const y = ROW / 2;
  if (role === 'fault') return <path className="part-mark fault" d={`M${x} ${y - 7}l6 11h-12z`} />;
  if (role === 'sign') return <circle className="part-mark sign" cx={x} cy={y} r={3.5} />;
  return <rect className="part-mark work" x={x - 4} y={y - 4} width={8} height={8} />;
}

function Moments({ moments }: { readonly moments: readonly PartMoment[] }) {
  const format = useTimeFormat();
  const selected = useFocus((focus) => focus.selected);
  return (
    <ol className="part-moments">
      {moments.map(({ time_ns, type, text, ref, role }) => (
        <li key={`${ref} ${type}`}>
          <button
            type="button"
            className="plain"
            aria-current={ref === selected}
            onClick={() => {
              select(ref, nanos(time_ns));
              showDetails();
            }}
            onContextMenu={(event) => openAt(event, () => recordTarget(readableType(type), [ref]))}
            onKeyDown={(event) => {
              if (!actByKey(event, () => recordTarget(readableType(type), [ref]))) return;
              event.preventDefault();
              event.stopPropagation();
            }}
          >
            <span className="number" style={{ width: instantWidth(format, 88) }}>
              {formatInstant(nanos(time_ns), format, 0)}
            </span>
            <span className={`part-role ${role}`}>{messages.parts.roles[role]}</span>
            <span className="ellipsis">
              {readableType(type)} {text === '' ? null : <span className="muted">{text}</span>}
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}
