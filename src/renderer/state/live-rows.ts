import { useCase } from './case-state.ts';
import { client } from './client.ts';
import { currentInfo, loadLanes, loadSilences, refreshIncidents } from './conclusions.ts';
import { followBounds } from './focus.ts';
import { catchUpWithLive } from './follow-live.ts';
import { isRecording, type LiveState, useLive } from './live.ts';
import { paced } from './paced.ts';

/** Conclusions are drawn anew this long after the last ones were there, or ten times what they took. */
const CONCLUDE_MS = 3000;
const PATIENCE = 10;
/** Rests of this many times what looking took: it must not become all that is done. */
const REST = 3;
/** By then what a feed says of itself is written. */
const WRITTEN_MS = 2000;

const refresh = paced(refreshInfo, (tookMs) => REST * tookMs);
const conclude = paced(refreshConclusions, (tookMs) => Math.max(CONCLUDE_MS, PATIENCE * tookMs));

/** Rows came while a capture runs: what is on screen stays as it is and goes on; nothing is built anew. */
export function takeLiveRows(): void {
  useLive.setState(({ rowsCame }) => ({ rowsCame: rowsCame + 1 }));
  refresh();
}

/** From now on: the last feed that falls silent brings no more rows, which would tell of it. */
export function listenFeeds(): void {
  useLive.subscribe((now, before) => {
    if (statesOf(now) !== statesOf(before)) refresh();
  });
}

async function refreshInfo(): Promise<void> {
  // Only at a case that is shown: what goes on in one that is about to be is part of showing it.
  if (!isRecording(useLive.getState()) || useCase.getState().phase !== 'open') return;
  // A lost connection is told where it is noticed.
  const info = await currentInfo().catch(() => undefined);
  const shown = useCase.getState().info;
  if (!info || !shown) return;
  useCase.setState({ info });
  followBounds(info);
  if (shown.first_ns === null && info.first_ns !== null) catchUpWithLive();
  await Promise.all([addLanes(), takeOutages()]);
  conclude();
}

const statesOf = ({ capture }: Pick<LiveState, 'capture'>): string =>
  (capture?.feeds ?? []).map(({ name, state, reason }) => `${name} ${state} ${reason}`).join();

let requestedStates = '';
let requestsLeft = 0;

/** Only a feed that went or came back has them changed; its word may be here before it is written, so twice. */
async function takeOutages(): Promise<void> {
  const states = statesOf(useLive.getState());
  if (states !== requestedStates) requestsLeft = 2;
  requestedStates = states;
  if (requestsLeft === 0) return;
  requestsLeft--;
  await loadSilences();
  if (requestsLeft > 0) setTimeout(refresh, WRITTEN_MS);
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

async function refreshConclusions(): Promise<void> {
  if (!isRecording(useLive.getState())) return;
  // An incident that is found must not take somebody away from what they look at.
  await Promise.all([loadLanes(), refreshIncidents({ select: false })]);
}
