import { create } from 'zustand';
import type { FeedTest, Output, PlanView } from '../../model/contract/index.ts';
import type { Problem } from '../../model/problem.ts';
import type { PlannedFeed } from '../../model/storage/feed.ts';
import { isAbort, problemOf } from '../client/problem-of.ts';
import type { Answer } from './answer.ts';
import { chooseBrowserFiles } from './browser-files.ts';
import { client } from './client.ts';
import { messages } from './messages.ts';
import { refreshAnswers } from './query-cache.ts';
import { saveFile } from './save-file.ts';
import { useCall } from './use-answer.ts';

type Check = Extract<FeedTest, { kind: 'check' }>['check'];

/** Test result of one feed so far; `passed` null: still running. */
export interface TestedFeed {
  readonly checks: readonly Check[];
  readonly passed: boolean | null;
}

/** A plan draft, as text and as parsed feeds; whichever was edited last is the source. */
export interface PlanDraft {
  readonly feeds: readonly PlannedFeed[];
  readonly text: string;
  readonly problems: PlanView['problems'];
  /** Index into `feeds`; null: the list of feed kinds is open. */
  readonly selected: number | null;
  /** By index in `feeds`; an edit resets the test. */
  readonly tested: Readonly<Record<number, TestedFeed>>;
  /** Cancels the test; null: none runs. */
  readonly testing: AbortController | null;
  /** The last parse of the plan. */
  readonly reading: Promise<void>;
  /** Why the last action failed. */
  readonly problem: Problem | null;
}

export const usePlan = create<PlanDraft>()(() => ({
  feeds: [],
  text: '',
  problems: [],
  selected: null,
  tested: {},
  testing: null,
  reading: Promise.resolve(),
  problem: null,
}));

export const useFeedKinds = (): Answer<Output<'capture.kinds'>> => useCall('capture.kinds', {});

/** The text of the plan, after pending form edits were written to it. */
export async function planText(): Promise<string> {
  let waited: Promise<void>;
  do {
    waited = usePlan.getState().reading;
    await waited;
  } while (waited !== usePlan.getState().reading);
  return usePlan.getState().text;
}

type Source = { readonly text: string } | { readonly feeds: PlannedFeed[]; readonly before: string };

/** Parses the plan; an outdated response is dropped. */
function read(source: Source): void {
  const reading: Promise<void> = parse(source, () => usePlan.getState().reading === reading);
  usePlan.setState({ reading });
}

async function parse(source: Source, isNewest: () => boolean): Promise<void> {
  try {
    const { text, feeds, problems } = await client().call('capture.plan', source);
    if (!isNewest()) return;
    const { feeds: before, selected } = usePlan.getState();
    const known = feeds ?? before;
    const shown = selected === null || selected >= known.length ? (known.length > 0 ? 0 : null) : selected;
    const isText = 'text' in source;
    usePlan.setState({ problems, problem: null, ...(isText ? { feeds: known, selected: shown } : { text }) });
  } catch (error) {
    usePlan.setState({ problem: problemOf(error) });
  }
}

function change(feeds: readonly PlannedFeed[], selected: number | null): void {
  stopTesting();
  usePlan.setState({ feeds, selected, tested: {} });
  if (feeds.length === 0) {
    usePlan.setState({ text: '', problems: [], reading: Promise.resolve() });
  } else read({ feeds: [...feeds], before: usePlan.getState().text });
}

export function editText(text: string): void {
  stopTesting();
  usePlan.setState({ text, tested: {} });
  read({ text });
}

export const selectFeed = (selected: number | null): void => usePlan.setState({ selected });

/** Later feeds of a kind get a name, because defaults would give them the same one. */
export function addFeed(kind: string): void {
  const { feeds } = usePlan.getState();
  change([...feeds, { kind }], feeds.length);
}

export function removeFeed(at: number): void {
  const { feeds } = usePlan.getState();
  const left = feeds.filter((_, other) => other !== at);
  change(left, left.length === 0 ? null : Math.min(at, left.length - 1));
}

/** undefined removes the field from the plan, so that its default applies. */
export function setField(at: number, path: string, value: unknown): void {
  const { feeds } = usePlan.getState();
  change(
    feeds.map((feed, other) => (other === at ? withField(feed, path.split('.'), value) : feed)),
    at,
  );
}

function withField(feed: PlannedFeed, [name = '', ...rest]: readonly string[], value: unknown): PlannedFeed {
  const { [name]: before, ...others } = feed;
  const next = rest.length === 0 ? value : withField(isGroup(before) ? before : {}, rest, value);
  const isGone = next === undefined || (rest.length > 0 && Object.keys(next!).length === 0);
  if (isGone) return others;
  // In its old place, so that the lines of the text do not move.
  return name in feed
    ? Object.fromEntries(Object.entries(feed).map(([key, current]) => [key, key === name ? next : current]))
    : { ...feed, [name]: next };
}

const isGroup = (value: unknown): value is PlannedFeed =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function fieldOf(feed: PlannedFeed, path: string): unknown {
  return path.split('.').reduce<unknown>((held, name) => (isGroup(held) ? held[name] : undefined), feed);
}

const stopTesting = (): void => usePlan.getState().testing?.abort();

/** Tests every feed; each step is shown as it finishes. */
export async function testPlan(): Promise<void> {
  stopTesting();
  const mine = new AbortController();
  usePlan.setState({ tested: {}, testing: mine, problem: null });
  try {
    const plan = await planText();
    for await (const event of client().stream('capture.test', { plan }, mine.signal)) {
      if (mine.signal.aborted) return;
      usePlan.setState(({ tested }) => ({ tested: { ...tested, [event.feed]: afterStep(tested[event.feed], event) } }));
    }
  } catch (error) {
    if (!isAbort(error) && !mine.signal.aborted) usePlan.setState({ problem: problemOf(error) });
  } finally {
    if (usePlan.getState().testing === mine) usePlan.setState({ testing: null });
  }
}

/** A test result after one more event of it. */
export function afterStep(before: TestedFeed = { checks: [], passed: null }, event: FeedTest): TestedFeed {
  return event.kind === 'check'
    ? { ...before, checks: [...before.checks, event.check] }
    : { ...before, passed: event.passed };
}

/** Stores a secret in the keychain. Returns the problem; null: stored. */
export async function saveSecret(name: string, secret: string): Promise<Problem | null> {
  try {
    await client().call('capture.keep_secret', { name, secret });
    return null;
  } catch (error) {
    return problemOf(error);
  }
}

/** Prompts for a folder that plans may watch; null: none was chosen. */
export async function watchFolder(): Promise<{ readonly folder: string | null; readonly problem: Problem | null }> {
  try {
    const { folder } = await client().call('capture.watch_folder', {});
    if (folder !== null) refreshAnswers('capture.kinds');
    return { folder, problem: null };
  } catch (error) {
    return { folder: null, problem: problemOf(error) };
  }
}

export async function savePlan(): Promise<void> {
  try {
    await savePlanFile('plan.yaml', await planText());
  } catch (error) {
    usePlan.setState({ problem: problemOf(error) });
  }
}

export const savePlanFile = (name: string, text: string): Promise<void> =>
  saveFile(name, new Blob([text], { type: 'text/yaml' }));

/** Larger files are not plans. */
const MOST_BYTES = 1_000_000;

/** Takes the text of a plan file that the investigator chooses. */
export function choosePlan(take: (text: string) => void, refuse: (problem: Problem) => void): void {
  chooseBrowserFiles({ accept: '.yaml,.yml' }, ([file]) => {
    if (file && file.size > MOST_BYTES) refuse({ code: 'plan.too_large', message: messages.planTooLarge(file.name) });
    else if (file) void file.text().then(take);
  });
}

export const openPlan = (): void =>
  choosePlan(
    (text) => {
      usePlan.setState({ selected: null });
      editText(text);
    },
    (problem) => usePlan.setState({ problem }),
  );
