import { useCase } from './case-state.ts';
import { client } from './client.ts';
import { currentInfo, loadLanes, loadSilences, refreshIncidents } from './conclusions.ts';
import { followBounds } from './focus.ts';
import { catchUpWithLive } from './follow-live.ts';
import { isRecording, type LiveState, useLive } from './live.ts';

/** Conclusions are drawn anew this long after the last ones were there, or ten times what they took. */
const CONCLUDE_MS = 3000;
const PATIENCE = 10;

let concluding = false;
let concludeFrom = 0;
let lookFrom = 0;
/** Rests of this many times what looking took: it must not become all that is done. */
const REST = 3;

/** Rows came while a capture runs: what is on screen stays as it is and goes on; nothing is built anew. */
export async function takeLiveRows(): Promise<void> {
  useLive.setState(({ rowsCame }) => ({ rowsCame: rowsCame + 1 }));
  const began = performance.now();
  if (began < lookFrom) return;
  const isFirst = useCase.getState().info?.first_ns == null;
  const info = await currentInfo();
  if (!info) return;
  useCase.setState({ info });
  followBounds(info);
  if (isFirst && info.first_ns !== null) catchUpWithLive();
  await Promise.all([addLanes(), takeOutages()]);
  const now = performance.now();
  lookFrom = now + (now - began) * REST;
  if (!concluding && now > concludeFrom) void conclude();
}

const statesOf = ({ capture }: Pick<LiveState, 'capture'>): string =>
  (capture?.feeds ?? []).map(({ name, state, reason }) => `${name} ${state} ${reason}`).join();

/** By then what a feed says of itself is written. */
const WRITTEN_MS = 2000;

/** From now on: the last feed that falls silent brings no more rows, which would tell of it. */
export function listenFeeds(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  useLive.subscribe((now, before) => {
    if (!isRecording(now) || statesOf(now) === statesOf(before)) return;
    clearTimeout(timer);
    timer = setTimeout(() => void loadSilences(), WRITTEN_MS);
  });
}

let statesAsked = '';
let asksLeft = 0;

/** Only a feed that went or came back has them changed; its word may be here before it is written, so twice. */
async function takeOutages(): Promise<void> {
  const states = statesOf(useLive.getState());
  if (states !== statesAsked) asksLeft = 2;
  statesAsked = states;
  if (asksLeft === 0) return;
  asksLeft--;
  await loadSilences();
}

/** Things that were not there before come last until they are part of what is concluded. */
async function addLanes(): Promise<void> {
  const recorded = await client()
    .call('timeline.lanes', { concluded: false })
    .catch(() => []);
  const { lanes } = useCase.getState();
  const known = new Set(lanes.map(({ id }) => id));
  const added = recorded.filter(({ id }) => !known.has(id));
  if (added.length > 0) useCase.setState({ lanes: [...lanes, ...added] });
}

async function conclude(): Promise<void> {
  concluding = true;
  const began = performance.now();
  try {
    // An incident that is found must not take somebody away from what they look at.
    await Promise.all([loadLanes(), refreshIncidents({ select: false })]);
  } finally {
    concluding = false;
    const took = performance.now() - began;
    concludeFrom = performance.now() + Math.max(CONCLUDE_MS, PATIENCE * took);
  }
}
