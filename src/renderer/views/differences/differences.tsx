import { useMemo, useState } from 'react';
import type { Difference, Differences } from '../../../model/contract/index.ts';
import { differencesMarkdown, rowsOf, thinBaseline } from '../../draw/text/format-difference.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { useIncidentsAnswer } from '../../state/conclusions.ts';
import { type DifferenceRequest, holdsIncident } from '../../state/difference-request.ts';
import { useFocus } from '../../state/focus.ts';
import { useIncident } from '../../state/known.ts';
import { copyText } from '../../state/toasts.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { DataTable } from '../../widgets/data-table.tsx';
import { TabList } from '../../widgets/tab-list.tsx';
import { DifferenceBar, differenceRequestText } from './difference-bar.tsx';
import { columnsOf, targetOf } from './difference-columns.tsx';
import { Examples } from './examples.tsx';
import { type Likes, useLikes } from './likes.tsx';
import { messages } from './messages.ts';
import './differences.css';

export function NothingToCompare() {
  const { value, problem } = useIncidentsAnswer();
  const isKnown = value !== undefined || problem !== undefined;
  return <p className="empty muted">{isKnown ? messages.noRegion : messages.incidentsPending}</p>;
}

type Kind = Difference['population'] | 'all';
const titles: Readonly<Record<Kind, string>> = {
  all: messages.kinds.all,
  spans: messages.kinds.spans,
  logs: messages.kinds.logs,
  metrics: messages.kinds.metrics,
  events: messages.kinds.events,
  entities: messages.kinds.entities,
};

export interface DifferencesProps {
  readonly request: DifferenceRequest;
  readonly found: Differences;
}

/** Values of one attribute that are shown before the others fold: the others mostly show the same difference. */
const MOST_VALUES = 3;

export function DifferencesView({ request, found }: DifferencesProps) {
  const [kind, setKind] = useState<Kind>('all');
  const [unfolded, setUnfolded] = useState(false);
  const [selectedDifference, setSelectedDifference] = useState<Difference | null>(null);
  const format = useTimeFormat();
  const kinds = (Object.keys(titles) as Kind[]).filter((one) => one === 'all' || of(found, one).length > 0);
  const shownKind = kinds.includes(kind) ? kind : 'all';
  const wanted = of(found, shownKind);
  const likes = useLikes(wanted);
  const rows = useMemo(() => (unfolded ? wanted : foremost(wanted, likes)), [wanted, unfolded, likes]);
  const columns = useMemo(() => columnsOf(likes), [likes]);
  const current = selectedDifference && found.differences.find(({ id }) => id === selectedDifference.id);
  const title = differenceRequestText(request, format);
  return (
    <div className="differences">
      <DifferenceBar request={request} />
      <Compared found={found} request={request} />
      <div className="differences-bar">
        <TabList<Kind>
          label={messages.kinds.label}
          tabs={kinds.map((id) => ({ id, title: `${titles[id]} (${formatCount(of(found, id).length)})` }))}
          selected={shownKind}
          onSelect={setKind}
        />
        <span className="spring" />
        {unfolded || rows.length < wanted.length ? (
          <button type="button" className="plain" aria-pressed={unfolded} onClick={() => setUnfolded(!unfolded)}>
            {messages.allValues}
          </button>
        ) : null}
        <button
          type="button"
          className="plain"
          disabled={rows.length === 0}
          onClick={() => void copyText(differencesMarkdown(rows, title), messages.markdown)}
        >
          {messages.copyMarkdown}
        </button>
      </div>
      <DataTable<Difference>
        label={messages.table}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        selected={current?.id ?? null}
        onSelect={(row) => setSelectedDifference(row.id === selectedDifference?.id ? null : row)}
        actionsOf={(row) => targetOf(row, request, { label: title, open: () => setSelectedDifference(row) })}
        empty={nothingFound(found)}
      />
      {current ? (
        <Examples key={current.id} request={request} difference={current} onClose={() => setSelectedDifference(null)} />
      ) : null}
    </div>
  );
}

const of = ({ differences }: Differences, kind: Kind): readonly Difference[] =>
  kind === 'all' ? differences : differences.filter(({ population }) => population === kind);

/** Of an attribute without entities its first values; of one with entities those that lead others like them, and what is unfolded. */
function foremost(rows: readonly Difference[], { open }: Likes): readonly Difference[] {
  const seen = new Map<string, number>();
  return rows.filter(({ population, attribute, entity, like }) => {
    if (entity !== null) return like === null || open.has(like);
    const key = `${population} ${attribute}`;
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    return times <= MOST_VALUES;
  });
}

function nothingFound({ compared }: Differences): string {
  const tested = compared.reduce((sum, one) => sum + one.tested, 0);
  if (tested > 0) return messages.none(formatCount(tested));
  const isEmpty = compared.every(({ region }) => region === 0);
  if (isEmpty) return messages.nothingInRegion;
  return compared.every(({ baseline }) => baseline === 0) ? messages.nothingInBaseline : messages.tooFew;
}

/** How much was compared, and what was left out. */
function Compared({ found, request }: DifferencesProps) {
  const isIncidentInside = holdsIncident(request, useIncident(useFocus((focus) => focus.incident)));
  const thin = thinBaseline(
    found,
    useFocus((focus) => focus.bounds),
  );
  const parts = found.compared.map(({ population, region, baseline, region_share, baseline_share, tested }) => {
    const share = (one: number): string => (one < 1 ? messages.sampled(Math.round(1 / one)) : '');
    return messages.compared(
      `${formatCount(region)}${share(region_share)}`,
      `${rowsOf(population, baseline)}${share(baseline_share)}`,
      formatCount(tested),
    );
  });
  // difference-point-sample.sql
  const ofSeries = found.compared.some(({ population }) => population === 'metrics') ? messages.sampledSeries : '';
  return (
    <div className="differences-note muted">
      {isIncidentInside ? <p className="caution">▲ {messages.restOfIncident}</p> : null}
      {thin === null ? null : <p className="caution">▲ {thin}</p>}
      <p>{messages.method(parts.length > 0 ? `${parts.join('; ')}. ` : '', ofSeries)}</p>
      {found.left_out.length > 0 ? (
        <details>
          <summary>{messages.leftOut(found.left_out.length)}</summary>
          <ul>
            {found.left_out.map(({ attribute, reason }) => (
              <li key={`${attribute} ${reason}`}>
                <span className="mono">{attribute}</span>: {reason}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </div>
  );
}
