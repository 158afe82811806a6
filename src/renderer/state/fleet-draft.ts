import { create } from 'zustand';
import type { FleetHeatEvent, FleetImpactView } from '../../model/contract/index.ts';
import type { Problem } from '../../model/problem.ts';
import { nanos } from '../../model/time.ts';
import { isAbort, problemOf } from '../client/problem-of.ts';
import { chooseArchive, editPull, planPull, runPull, useArchive } from './archive-draft.ts';
import { useCase } from './case-state.ts';
import { client } from './client.ts';
import type { TimeWindow } from './focus-history.ts';
import { messages } from './messages.ts';
import { conditionOf, fieldTime, namesOf, utcField } from './utc-field.ts';

type HeatOf<K extends FleetHeatEvent['kind']> = Extract<FleetHeatEvent, { kind: K }>;

/** Columns of the heat map. */
export const BUCKETS = 240;

export interface FoundHeat extends HeatOf<'heat'> {
  /** The time of the columns. */
  readonly window: TimeWindow;
}

/** Cells of the heat map: rows and columns, both ends included. */
export interface Cells {
  readonly rows: readonly [number, number];
  readonly columns: readonly [number, number];
}

/** What is to be pulled: an impact with those at the same time, or a time and services that were brushed. */
export interface FleetChoice {
  readonly services: readonly string[];
  readonly window: TimeWindow;
  /** null: it was brushed. */
  readonly impact: FleetImpactView | null;
}

/** The page of a fleet: its question and answer. The plan of its archive is that of `useArchive`. */
export interface FleetDraft {
  readonly open: boolean;
  /** As time fields have it: see `utcField`. */
  readonly from: string;
  readonly until: string;
  /** With commas between them; '': all. */
  readonly services: string;
  /** In SQL of the archive; '': none. */
  readonly where: string;
  /** Ends the question; null: none runs. */
  readonly running: AbortController | null;
  readonly progress: HeatOf<'progress'> | null;
  readonly found: FoundHeat | null;
  readonly problem: Problem | null;
  /** Where the keyboard is; null: nowhere yet. */
  readonly cells: Cells | null;
  readonly choice: FleetChoice | null;
}

const unanswered = { progress: null, found: null, problem: null, cells: null, choice: null } as const;

export const useFleet = create<FleetDraft>()(() => ({
  open: false,
  from: '',
  until: '',
  services: '',
  where: '',
  running: null,
  ...unanswered,
}));

const DAY_NS = 86_400_000_000_000n;
const MINUTE_NS = 60_000_000_000n;

/** Opens the page with the last day, on the archive that was chosen last, if it can be asked in place. */
export function showFleet(open: boolean): void {
  if (!open) {
    stopFleet();
    return useFleet.setState({ open });
  }
  const { from } = useFleet.getState();
  const now_ns = ((BigInt(Date.now()) * 1_000_000n) / MINUTE_NS) * MINUTE_NS;
  useFleet.setState({ open, ...(from === '' && { from: utcField(now_ns - DAY_NS), until: utcField(now_ns) }) });
  if (useArchive.getState().fields['kind'] !== 'clickhouse') chooseArchive('clickhouse');
}

/** Changes what is asked; an answer to something else is no answer to it. */
export function editFleet(change: Partial<Pick<FleetDraft, 'from' | 'until' | 'services' | 'where'>>): void {
  stopFleet();
  useFleet.setState({ ...change, ...unanswered });
}

/** @param day `2026-05-01`; '' changes nothing */
export function chooseDay(day: string): void {
  if (day === '') return;
  const start_ns = fieldTime(`${day}T00:00:00`, messages.pull.from);
  editFleet({ from: utcField(start_ns), until: utcField(start_ns + DAY_NS) });
}

export const stopFleet = (): void => useFleet.getState().running?.abort();

/** Asks the archive, in place, which services did worse than their own baseline. */
export async function askFleet(): Promise<void> {
  stopFleet();
  const running = new AbortController();
  useFleet.setState({ running, ...unanswered });
  const { from, until, services, where } = useFleet.getState();
  try {
    const [from_ns, until_ns] = [fieldTime(from, messages.pull.from), fieldTime(until, messages.pull.until)];
    const plan = useArchive.getState().text;
    const input = { plan, from_ns, until_ns, services: namesOf(services), where: conditionOf(where), buckets: BUCKETS };
    for await (const event of client().stream('fleet.heat', input, running.signal)) {
      if (running.signal.aborted) return;
      if (event.kind === 'progress') useFleet.setState({ progress: event });
      else useFleet.setState({ found: { ...event, window: { startNs: from_ns, endNs: until_ns } } });
    }
  } catch (error) {
    if (!isAbort(error) && !running.signal.aborted) useFleet.setState({ problem: problemOf(error) });
  } finally {
    if (useFleet.getState().running === running) useFleet.setState({ running: null, progress: null });
  }
}

/** The time of columns, both ends included. */
export function timeOfColumns({ startNs, endNs }: TimeWindow, [first, last]: readonly [number, number]): TimeWindow {
  const at = (column: number): bigint => startNs + ((endNs - startNs) * BigInt(column)) / BigInt(BUCKETS);
  return { startNs: nanos(at(first)), endNs: nanos(at(last + 1)) };
}

const isDuring = ({ start_ns, end_ns }: FleetImpactView, { startNs, endNs }: TimeWindow): boolean =>
  start_ns < endNs && end_ns > startNs;

/** A single cell in an impact means the impact; other cells are their own time and services. */
export function chooseCells(cells: Cells): void {
  const { found } = useFleet.getState();
  if (!found) return;
  const { rows, columns } = cells;
  const window = timeOfColumns(found.window, columns);
  const services = found.rows.slice(rows[0], rows[1] + 1);
  const isOne = rows[0] === rows[1] && columns[0] === columns[1];
  const impact = found.impacts.find((one) => one.service === services[0] && isDuring(one, window));
  useFleet.setState({ cells });
  if (isOne && impact) chooseImpact(impact);
  else choose({ services, window, impact: null });
}

/** With the services that had an impact at the same time: one of them may be the cause. */
export function chooseImpact(impact: FleetImpactView): void {
  const { found } = useFleet.getState();
  const window = { startNs: nanos(impact.start_ns), endNs: nanos(impact.end_ns) };
  const others = (found?.impacts ?? []).filter((one) => isDuring(one, window)).map(({ service }) => service);
  choose({ services: [...new Set([impact.service, ...others])], window, impact });
}

/** A case compares an impact with what was before it, and sees how it ended. */
const BEFORE_NS = 15n * MINUTE_NS;
const AFTER_NS = 5n * MINUTE_NS;

function choose(choice: FleetChoice): void {
  useFleet.setState({ choice });
  const { startNs, endNs } = choice.window;
  editPull({
    from: utcField(startNs - BEFORE_NS),
    // A field has whole seconds.
    until: utcField(endNs + AFTER_NS + 999_999_999n),
    services: choice.services.join(', '),
    where: useFleet.getState().where,
    newCase: useCase.getState().name !== null,
  });
  void planPull();
}

/** Pulls what was chosen; the page closes on the verdict of the case. */
export async function pullFromFleet(): Promise<void> {
  if (await runPull()) showFleet(false);
}
