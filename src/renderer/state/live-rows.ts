import { useCase } from './case-state.ts';
import { addLanes, loadIncidents, loadInfo, loadLanes, loadSilences } from './conclusions.ts';
import { catchUpWithLive } from './follow-live.ts';
import { known } from './known.ts';
import { isRecording, type LiveState, useLive } from './live.ts';
import { paced } from './paced.ts';

/** Conclusions are reloaded after the larger of this pause and ten times their query time. */
const CONCLUDE_MS = 3000;
const PATIENCE = 10;
/** Pause in multiples of the query time. */
const REST = 3;
/** By then the reported state of a feed is stored. */
const WRITTEN_MS = 2000;

const refresh = paced(refreshInfo, (tookMs) => REST * tookMs);
const conclude = paced(refreshConclusions, (tookMs) => Math.max(CONCLUDE_MS, PATIENCE * tookMs));

/** New rows during a capture: the data on screen stays and grows. */
export function takeLiveRows(): void {
  useLive.setState(({ rowsCame }) => ({ rowsCame: rowsCame + 1 }));
  refresh();
}

/** Starts listening: when the last feed goes down, no more rows arrive that would trigger an update. */
export function listenFeeds(): void {
  useLive.subscribe((now, before) => {
    if (statesOf(now) !== statesOf(before)) refresh();
  });
}

async function refreshInfo(): Promise<void> {
  // Only for an open case: opening a case loads the same.
  if (!isRecording(useLive.getState()) || useCase.getState().phase !== 'open') return;
  // The connection reports its own loss.
  const before = known('case.current');
  const info = await loadInfo().catch(() => undefined);
  if (!info) return;
  if (before?.first_ns === null && info.first_ns !== null) catchUpWithLive();
  await Promise.all([addLanes(), takeOutages()]);
  conclude();
}

const statesOf = ({ capture }: Pick<LiveState, 'capture'>): string =>
  (capture?.feeds ?? []).map(({ name, state, reason }) => `${name} ${state} ${reason}`).join();

/** Only a feed that goes down or comes back changes outages. Twice, because its report may not be stored yet. */
async function takeOutages(): Promise<void> {
  const states = statesOf(useLive.getState());
  const { outages } = useLive.getState();
  const loadsLeft = (outages.states === states ? outages.loadsLeft : 2) - 1;
  if (loadsLeft < 0) return;
  useLive.setState({ outages: { states, loadsLeft } });
  await loadSilences();
  if (loadsLeft > 0) setTimeout(refresh, WRITTEN_MS);
}

async function refreshConclusions(): Promise<void> {
  if (!isRecording(useLive.getState())) return;
  // A new incident must not move the investigator's focus.
  await Promise.all([loadLanes(), loadIncidents({ select: false })]);
}
