import { type KeyboardEvent, useMemo, useState } from 'react';
import type { ServiceCall, ServiceGraph } from '../../../model/contract/index.ts';
import { formatShare } from '../../draw/text/format-difference.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { formatCount, formatNumber } from '../../draw/text/format-value.ts';
import {
  type ComparedCall,
  type ComparedGraph,
  type ComparedService,
  compareGraphs,
  isFailing,
} from '../../draw/traces/service-change.ts';
import { layoutServices, NODE, type PlacedCall, type PlacedService } from '../../draw/traces/service-layout.ts';
import { searchTraces } from '../../state/traces.ts';
import { useCall } from '../../state/use-answer.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { messages } from './messages.ts';

const texts = messages.services;

interface ServicesProps {
  readonly window: { readonly start_ns: bigint | null; readonly end_ns: bigint | null };
}

/** Which service calls which in the window: how often, how many fail, how long it takes. */
export function Services({ window }: ServicesProps) {
  const [compares, setCompares] = useState(false);
  const earlier = beforeOf(window);
  const { value, problem, slow, retry } = useCall('traces.services', window, ['span']);
  const before = useCall('traces.services', compares ? earlier : null, ['span']);
  const graph = useMemo(
    () => value && compareGraphs(value, compares ? (before.value ?? null) : null),
    [value, before.value, compares],
  );
  return (
    <section className="service-view" aria-label={texts.what} data-testid="service-view" aria-busy={slow}>
      {problem ? <ProblemNote problem={problem} what={texts.what} onRetry={retry} /> : null}
      {slow ? <Progress label={texts.loading} /> : null}
      {value?.services.length === 0 ? <p className="empty muted">{texts.none}</p> : null}
      {value && graph && value.services.length > 0 ? (
        <>
          <div className="service-bar">
            <span className="muted">
              {noteOf(value)}
              {compares && before.value ? (graph.isCompared ? texts.compared : texts.notCompared) : ''}
            </span>
            <span className="spring" />
            <label className="trace-everywhere" title={texts.compareTitle}>
              <input
                type="checkbox"
                disabled={earlier === null}
                checked={compares && earlier !== null}
                onChange={(event) => setCompares(event.target.checked)}
              />
              {texts.compare}
            </label>
          </div>
          <Graph graph={graph} seconds={value.seconds} />
        </>
      ) : null}
    </section>
  );
}

/** As long right before; null: the window is all of the case. */
function beforeOf({ start_ns, end_ns }: ServicesProps['window']) {
  if (start_ns === null || end_ns === null) return null;
  return { start_ns: start_ns - (end_ns - start_ns), end_ns: start_ns - 1n };
}

const noteOf = ({ services, calls, share }: ServiceGraph): string =>
  `${texts.note(services.length, formatCount(calls.reduce((sum, one) => sum + one.calls, 0)))}${share > 1 ? texts.estimated(share) : ''}`;

function Graph({ graph, seconds }: { readonly graph: ComparedGraph; readonly seconds: number }) {
  const layout = useMemo(() => layoutServices(graph), [graph]);
  const columns = useMemo(() => columnsOf(seconds, graph.isCompared), [graph, seconds]);
  return (
    <>
      {layout.left > 0 ? <p className="muted">{texts.left(layout.left)}</p> : null}
      <div className="service-graph">
        {/* biome-ignore lint/a11y/useSemanticElements: a group of buttons within a picture. */}
        <svg width={layout.width} height={layout.height} role="group" aria-label={texts.graph}>
          <Arrow />
          {layout.calls.map((placed) => (
            <Edge key={`${placed.call.caller} ${placed.call.callee}`} placed={placed} seconds={seconds} />
          ))}
          {layout.services.map((placed) => (
            <Node key={placed.node.service} placed={placed} seconds={seconds} />
          ))}
        </svg>
      </div>
      <DataTable<ComparedCall>
        label={texts.table}
        columns={columns}
        rows={graph.calls}
        keyOf={({ caller, callee }) => `${caller} ${callee}`}
        onSelect={searchCall}
        empty={texts.none}
      />
    </>
  );
}

const Arrow = () => (
  <defs>
    <marker
      id="service-arrow"
      viewBox="0 0 8 8"
      refX="8"
      refY="4"
      markerWidth="8"
      markerHeight="8"
      markerUnits="userSpaceOnUse"
      orient="auto"
    >
      <path d="M0 0L8 4L0 8z" fill="context-stroke" />
    </marker>
  </defs>
);

const quoted = (service: string): string => `resource.service.name = ${JSON.stringify(service)}`;

function searchCall({ caller, callee }: Pick<ServiceCall, 'caller' | 'callee'>): void {
  searchTraces(caller === null ? `{ ${quoted(callee)} }` : `{ ${quoted(caller)} } > { ${quoted(callee)} }`);
}

const rateText = (calls: number, seconds: number): string =>
  texts.perSecond(formatNumber(Number((calls / Math.max(seconds, 1e-9)).toPrecision(2))));

type Figures = Pick<ComparedService, 'calls' | 'errors' | 'p95_ms' | 'before' | 'change'>;

function factsOf({ calls, errors, p95_ms, before, change }: Figures, seconds: number): string[] {
  if (change === 'gone') return [texts.gone(formatCount(before?.calls ?? 0))];
  if (calls === 0) return [texts.only];
  const time = (ms: number): string => formatDuration(ms * 1e6);
  const was = change === null ? null : (before?.p95_ms ?? null);
  return [
    rateText(calls, seconds),
    ...(errors > 0 ? [texts.errors(formatShare(errors / calls))] : []),
    ...(p95_ms === null ? [] : [texts.p95(was === null ? time(p95_ms) : texts.moved(time(was), time(p95_ms)))]),
  ];
}

/** Enter and the space bar act like a click. */
const byKey = (act: () => void) => (event: KeyboardEvent<SVGGElement>) => {
  if (event.key !== 'Enter' && event.key !== ' ') return;
  event.preventDefault();
  event.stopPropagation();
  act();
};

/** `slower`, with a mark besides its colour; [] where nothing changed. */
const changeText = ({ change }: Pick<Figures, 'change'>): string[] =>
  change === null ? [] : [`${marks[change]} ${texts.changes[change]}`];
const marks = { new: '✱', gone: '✕', failing: '▲', slower: '↑', faster: '↓' } as const;

const LONGEST_NAME = 22;

function Node({ placed: { node, x, y }, seconds }: { readonly placed: PlacedService; readonly seconds: number }) {
  const { service, calls, errors } = node;
  const facts = factsOf(node, seconds);
  const search = () => searchTraces(`{ ${quoted(service)} }`);
  const label = texts.node(service, [...changeText(node), ...facts].join(', '));
  const fails = isFailing(node);
  const shown = service.length > LONGEST_NAME ? `${service.slice(0, LONGEST_NAME - 1)}…` : service;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button within a picture, called by its title.
    <g
      className={`service-node ${node.change ?? ''}`}
      role="button"
      tabIndex={0}
      onClick={search}
      onKeyDown={byKey(search)}
    >
      <title>{label}</title>
      <rect x={x} y={y} width={NODE.width} height={NODE.height} rx="4" />
      {fails ? (
        <rect
          className="error-share"
          x={x}
          y={y + NODE.height - 3}
          width={Math.max(2, (NODE.width * errors) / calls)}
          height="3"
          style={{ stroke: 'none' }}
        />
      ) : null}
      <text x={x + 8} y={y + 19} fontWeight="600">
        {shown}
      </text>
      {changeText(node).map((change) => (
        <text key={change} className="change" x={x + NODE.width - 8} y={y + 19} textAnchor="end" fontSize="11">
          {change}
        </text>
      ))}
      <text className={fails ? 'failing' : 'facts'} x={x + 8} y={y + 36} fontSize="11">
        {facts.join(' · ')}
      </text>
    </g>
  );
}

function Edge({ placed: { call, path, width }, seconds }: { readonly placed: PlacedCall; readonly seconds: number }) {
  const { caller, callee } = call;
  const facts = [...changeText(call), ...factsOf(call, seconds)];
  const label = texts.edge(caller ?? texts.outside, callee, facts.join(', '));
  const search = () => searchCall(call);
  const className = `service-edge ${call.change ?? ''}${isFailing(call) ? ' failing' : ''}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button within a picture.
    <g className={className} role="button" tabIndex={0} aria-label={label} onClick={search} onKeyDown={byKey(search)}>
      <title>{label}</title>
      <path className="hit" d={path} />
      <path className="seen" d={path} strokeWidth={width} markerEnd="url(#service-arrow)" />
    </g>
  );
}

const columnsOf = (seconds: number, isCompared: boolean): readonly Column<ComparedCall>[] => [
  {
    id: 'caller',
    title: texts.columns.caller,
    width: 'minmax(120px, 1fr)',
    cell: ({ caller }) => caller ?? <span className="muted">{texts.outside}</span>,
    sort: ({ caller }) => caller ?? '',
    sheet: { cell: ({ caller }) => caller ?? '' },
  },
  {
    id: 'callee',
    title: texts.columns.callee,
    width: 'minmax(120px, 1fr)',
    cell: ({ callee }) => callee,
    sort: ({ callee }) => callee,
  },
  {
    id: 'rate',
    title: texts.columns.rate,
    numeric: true,
    width: '72px',
    cell: ({ calls }) => rateText(calls, seconds),
    sort: ({ calls }) => -calls,
    sheet: { cell: ({ calls }) => calls / Math.max(seconds, 1e-9) },
  },
  {
    id: 'calls',
    title: texts.columns.calls,
    numeric: true,
    width: '72px',
    cell: ({ calls }) => formatCount(calls),
    sort: ({ calls }) => -calls,
    sheet: { cell: ({ calls }) => calls },
  },
  {
    id: 'errors',
    title: texts.columns.errors,
    numeric: true,
    width: '120px',
    cell: ({ calls, errors }) =>
      errors === 0 ? messages.services.columns.none : `▲ ${formatCount(errors)} (${formatShare(errors / calls)})`,
    sort: ({ calls, errors }) => -errors / calls,
    sheet: { cell: ({ errors }) => errors },
  },
  ...(['p50', 'p95'] as const).map(
    (id): Column<ComparedCall> => ({
      id,
      title: texts.columns[id],
      numeric: true,
      width: '80px',
      cell: (row) => formatDuration(row[`${id}_ms`] * 1e6),
      sort: (row) => -row[`${id}_ms`],
      sheet: { name: `${id}_ms`, cell: (row) => row[`${id}_ms`] },
    }),
  ),
  ...(isCompared ? comparedColumns : []),
];

const comparedColumns: readonly Column<ComparedCall>[] = [
  {
    id: 'before',
    title: texts.columns.before,
    numeric: true,
    width: '88px',
    cell: ({ before }) => (before?.p95_ms == null ? '–' : formatDuration(before.p95_ms * 1e6)),
    sort: ({ before }) => -(before?.p95_ms ?? 0),
    sheet: { name: 'p95_ms_before', cell: ({ before }) => before?.p95_ms ?? null },
  },
  {
    id: 'change',
    title: texts.columns.change,
    width: '80px',
    cell: (row) => changeText(row).join(''),
    sort: ({ change }) => (change === null ? 9 : Object.keys(marks).indexOf(change)),
    sheet: { cell: ({ change }) => change ?? '' },
  },
];
