import type { CaseInfo, IncidentView, Lane } from '../../model/contract/index.ts';
import { nanos } from '../../model/time.ts';
import type { Answer } from './answer.ts';
import { useCase } from './case-state.ts';
import { client } from './client.ts';
import { leaveComparison } from './comparison.ts';
import { followBounds, selectIncident, useFocus } from './focus.ts';
import { known, load, loadBy, putKnown, useKnownAnswer } from './known.ts';

/** The cache keeps the problem for the part of the window that shows it. */
const unlessFails = <A>(loading: Promise<A>): Promise<A | undefined> => loading.catch(() => undefined);

/** Loads the recording first, so that it can be read during correlation; the involved lanes move up afterwards. */
export async function loadCase(): Promise<void> {
  const { caseId } = useCase.getState();
  await unlessFails(
    loadBy('timeline.lanes', (signal) => client().call('timeline.lanes', { concluded: false }, signal)),
  );
  if (caseId === useCase.getState().caseId) await Promise.all([loadLanes(), loadIncidents()]);
}

export async function loadLanes(): Promise<void> {
  // Not awaited: until outages are known, they look like gaps.
  if (await unlessFails(load('timeline.lanes'))) void loadSilences();
}

/** The lanes, with the problem of their loading. */
export const useLanesAnswer = (): Answer<readonly Lane[]> => useKnownAnswer('timeline.lanes', () => void loadLanes());

/** The incidents, with the problem of their loading. */
export const useIncidentsAnswer = (): Answer<readonly IncidentView[]> =>
  useKnownAnswer('incidents.list', () => void loadIncidents());

export const loadSilences = (): Promise<unknown> => unlessFails(load('timeline.silences'));

/** `select`: select the strongest if none is selected. */
export async function loadIncidents({ select }: { readonly select: boolean } = { select: true }): Promise<void> {
  // The same ranks may be other hypotheses now.
  if (select) leaveComparison();
  const incidents = await unlessFails(load('incidents.list'));
  if (!incidents) return;
  const [strongest] = incidents;
  const selected = incidents.find(({ incident }) => incident.id === useFocus.getState().incident);
  if (selected) useFocus.setState({ onset: nanos(selected.onset_ns) });
  else if (strongest && select) selectIncident(strongest);
  // Not awaited; Sources shows why clocks could not be estimated.
  void unlessFails(load('clocks.list'));
}

/** Loads the info of the case on screen; undefined if the host has another case by now. */
export async function loadInfo(): Promise<CaseInfo | undefined> {
  const { caseId } = useCase.getState();
  const info = await client().call('case.current', {});
  const now = useCase.getState();
  if (info === null || info.name !== now.name || caseId !== now.caseId) return undefined;
  putKnown('case.current', info);
  // A changed clock and live rows move the bounds of the recording.
  followBounds(info);
  return info;
}

/** Reloads all conclusions. The old ones stay on screen until the new ones arrive. */
export async function reloadConclusions(): Promise<void> {
  if (!(await loadInfo())) return;
  useCase.setState(({ revision }) => ({ revision: revision + 1 }));
  await Promise.all([loadLanes(), loadIncidents()]);
}

/** New entities are at the end until the conclusions contain them. */
export async function addLanes(): Promise<void> {
  const { caseId } = useCase.getState();
  const recorded = await unlessFails(client().call('timeline.lanes', { concluded: false }));
  if (!recorded || caseId !== useCase.getState().caseId) return;
  const lanes = known('timeline.lanes') ?? [];
  const ids = new Set(lanes.map(({ id }) => id));
  const added = recorded.filter(({ id }) => !ids.has(id));
  if (added.length > 0) putKnown('timeline.lanes', [...lanes, ...added]);
}
