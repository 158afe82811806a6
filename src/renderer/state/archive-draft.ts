import { create } from 'zustand';
import type { Output, PullEvent } from '../../model/contract/index.ts';
import type { Problem } from '../../model/problem.ts';
import { isAbort, problemOf } from '../client/problem-of.ts';
import type { Answer } from './answer.ts';
import { useCase } from './case-state.ts';
import { client } from './client.ts';
import { useFocus } from './focus.ts';
import { load } from './known.ts';
import { mayEndCapture } from './live.ts';
import { messages } from './messages.ts';
import { afterStep, type TestedFeed } from './plan-draft.ts';
import { showCase } from './shown-case.ts';
import { mayLoseAdded } from './unsaved.ts';
import { useCall } from './use-answer.ts';
import { conditionOf, fieldTime, namesOf, utcField } from './utc-field.ts';

type PullOf<K extends PullEvent['kind']> = Extract<PullEvent, { kind: K }>;

/** The form of a pull: the plan of its archive as text and fields, what is wanted of it, and how far it is. */
export interface ArchiveDraft {
  readonly open: boolean;
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly problems: Output<'archive.read'>['problems'];
  /** UTC without a zone, as time fields of a page have it: `2026-05-01T14:00:00`. */
  readonly from: string;
  readonly until: string;
  /** With commas between them; '': all. */
  readonly services: string;
  readonly where: string;
  readonly newCase: boolean;
  readonly tested: TestedFeed | null;
  /** What runs; null: nothing. */
  readonly running: { readonly what: 'test' | 'plan' | 'pull'; readonly stop: AbortController } | null;
  readonly plan: PullOf<'plan'> | null;
  readonly progress: PullOf<'progress'> | null;
  /** Slices that could not be pulled. */
  readonly missing: readonly PullOf<'problem'>[];
  readonly done: PullOf<'done'> | null;
  /** Rows per second of the last pull that ended; null: none did. */
  readonly rowsPerS: number | null;
  /** How many slices are in the case of a pull that was cancelled; null: none was. */
  readonly cancelled: number | null;
  readonly problem: Problem | null;
}

/** What belongs to one plan of a pull, and not to the next. */
const unplanned = {
  tested: null,
  plan: null,
  progress: null,
  missing: [],
  done: null,
  cancelled: null,
  problem: null,
} as const;

export const useArchive = create<ArchiveDraft>()(() => ({
  open: false,
  text: '',
  fields: {},
  problems: [],
  from: '',
  until: '',
  services: '',
  where: '',
  newCase: false,
  running: null,
  rowsPerS: null,
  ...unplanned,
}));

export const useArchiveKinds = (): Answer<Output<'archive.kinds'>> => useCall('archive.kinds', {});

const HOUR_NS = 3_600_000_000_000n;

/** Opens the form with the window of the case, or the last hour. */
export function showArchive(open: boolean): void {
  const { from } = useArchive.getState();
  if (!open || from !== '') return useArchive.setState({ open });
  const now = BigInt(Date.now()) * 1_000_000n;
  const { startNs, endNs } = useFocus.getState().window;
  const shown = useCase.getState().phase === 'open' ? [startNs, endNs] : [now - HOUR_NS, now];
  const [start, end] = shown.map(utcField);
  useArchive.setState({ open, from: start!, until: end! });
}

/** Changes what is wanted; a plan of something else is no plan of it. */
export function editPull(
  change: Partial<Pick<ArchiveDraft, 'from' | 'until' | 'services' | 'where' | 'newCase'>>,
): void {
  stopArchive();
  useArchive.setState({ ...change, ...unplanned });
}

export function editArchiveText(text: string): void {
  stopArchive();
  useArchive.setState({ text, ...unplanned });
  void readText(text);
}

/** The fields of a plan are its text as YAML, each value as JSON, which is YAML as well. */
const textOf = (fields: Readonly<Record<string, unknown>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${yamlOf(value)}\n`)
    .join('');

/** Words and addresses as people write them. */
const yamlOf = (value: unknown): string =>
  typeof value === 'string' &&
  /^[A-Za-z][\w./-]*(?::[\w./-]+)*$/.test(value) &&
  !/^(?:true|false|null|yes|no|on|off|[yn])$/i.test(value)
    ? value
    : JSON.stringify(value);

/** The plan of another kind keeps what both have. */
export function chooseArchive(kind: string): void {
  editFields({
    kind,
    ...(typeof useArchive.getState().fields['url'] === 'string' && { url: useArchive.getState().fields['url'] }),
  });
}

/** undefined removes the field from the plan, so that its default applies. */
export function setArchiveField(path: string, value: unknown): void {
  const { [path]: _, ...others } = useArchive.getState().fields;
  const { fields } = useArchive.getState();
  if (value === undefined) editFields(others);
  else editFields(path in fields ? { ...fields, [path]: value } : { ...others, [path]: value });
}

function editFields(fields: Readonly<Record<string, unknown>>): void {
  stopArchive();
  const text = textOf(fields);
  useArchive.setState({ fields, text, ...unplanned });
  void readText(text);
}

async function readText(text: string): Promise<void> {
  try {
    const { fields, problems } = await client().call('archive.read', { plan: text });
    if (useArchive.getState().text !== text) return;
    useArchive.setState({ problems, ...(fields && { fields }) });
  } catch (error) {
    useArchive.setState({ problem: problemOf(error) });
  }
}

/** Ends what runs; a pull keeps whole slices. */
export const stopArchive = (): void => useArchive.getState().running?.stop.abort();

async function whileRunning(
  what: 'test' | 'plan' | 'pull',
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  stopArchive();
  const stop = new AbortController();
  useArchive.setState({ running: { what, stop }, problem: null });
  try {
    await work(stop.signal);
  } catch (error) {
    if (!isAbort(error) && !stop.signal.aborted) useArchive.setState({ problem: problemOf(error) });
  } finally {
    if (useArchive.getState().running?.stop === stop) useArchive.setState({ running: null });
  }
}

/** Tests the connection; each step is shown as it finishes. */
export const testArchive = (): Promise<void> =>
  whileRunning('test', async (signal) => {
    useArchive.setState({ tested: { checks: [], passed: null } });
    for await (const event of client().stream('archive.test', { plan: useArchive.getState().text }, signal)) {
      if (signal.aborted) return;
      useArchive.setState(({ tested }) => ({ tested: afterStep(tested ?? undefined, event) }));
    }
  });

/** @throws ProblemError time.* */
function wanted() {
  const { text, from, until, services, where, newCase } = useArchive.getState();
  return {
    plan: text,
    from_ns: fieldTime(from, messages.pull.from),
    until_ns: fieldTime(until, messages.pull.until),
    services: namesOf(services),
    where: conditionOf(where),
    new_case: newCase || useCase.getState().name === null,
  };
}

/** What would be pulled, as the archive estimates it. */
export const planPull = (): Promise<void> =>
  whileRunning('plan', async (signal) => {
    useArchive.setState({ ...unplanned });
    for await (const event of client().stream('archive.pull', { ...wanted(), only_plan: true }, signal))
      if (event.kind === 'plan' && !signal.aborted) useArchive.setState({ plan: event });
  });

/**
 * Pulls, and shows the case with its verdict. What could not be pulled is listed, and stays for another pull.
 *
 * @returns whether all of it is in the case
 */
export async function runPull(): Promise<boolean> {
  let isWhole = false;
  await whileRunning('pull', async (signal) => {
    useArchive.setState({ progress: null, missing: [], done: null, cancelled: null });
    const leavesCase = useArchive.getState().newCase && useCase.getState().name !== null;
    if (leavesCase && (!(await mayEndCapture(messages.openAnother)) || !mayLoseAdded())) return;
    let pulled = 0;
    const began_ms = performance.now();
    try {
      for await (const event of client().stream('archive.pull', wanted(), signal)) {
        if (event.kind === 'progress') useArchive.setState({ progress: event });
        if (event.kind === 'source') pulled++;
        if (event.kind === 'problem') useArchive.setState(({ missing }) => ({ missing: [...missing, event] }));
        if (event.kind === 'done') useArchive.setState({ done: event, ...paceOf(event.rows, began_ms) });
      }
    } finally {
      if (signal.aborted) useArchive.setState({ cancelled: pulled });
      if (pulled > 0) await showPulled();
    }
    const { done, missing } = useArchive.getState();
    isWhole = !signal.aborted && done !== null && missing.length === 0 && done.left === 0 && pulled > 0;
    if (isWhole) showArchive(false);
  });
  return isWhole;
}

/** A few rows make no pace. */
const paceOf = (rows: number, began_ms: number): Pick<ArchiveDraft, 'rowsPerS'> | undefined =>
  rows < LEAST_PACED ? undefined : { rowsPerS: (1000 * rows) / Math.max(1, performance.now() - began_ms) };
const LEAST_PACED = 1000;

async function showPulled(): Promise<void> {
  const info = await client().call('case.current', {});
  if (info) await showCase(info);
  useArchive.setState({ newCase: false });
  await load('case.recent');
}
