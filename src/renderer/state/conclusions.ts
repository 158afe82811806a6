import type { Output } from '../../model/contract/index.ts';
import { incidentStrength } from '../../model/incident/incident.ts';
import { nanos } from '../../model/time.ts';
import { problemOf } from '../client/problem-of.ts';
import { useCase } from './case-state.ts';
import { client } from './client.ts';
import { leaveComparison } from './comparison.ts';
import { followBounds, selectIncident, useFocus } from './focus.ts';

/** Loads the recording first, so that it can be read during correlation; the involved lanes move up afterwards. */
export async function loadCase(): Promise<void> {
  const recorded = await client()
    .call('timeline.lanes', { concluded: false })
    .catch(() => []);
  useCase.setState({ lanes: recorded });
  await Promise.all([loadLanes(), loadIncidents()]);
}

export async function loadLanes(): Promise<void> {
  useCase.setState({ lanesProblem: null });
  try {
    useCase.setState({ lanes: await client().call('timeline.lanes', {}) });
    void loadSilences();
  } catch (error) {
    useCase.setState({ lanesProblem: problemOf(error) });
  }
}

/** Not awaited: until outages are known, they look like gaps. */
export async function loadSilences(): Promise<void> {
  const silences = await client()
    .call('timeline.silences', {})
    .catch(() => []);
  useCase.setState({ silences });
}

export async function loadIncidents(): Promise<void> {
  useCase.setState({ incidents: null });
  await refreshIncidents();
}

/** The incidents on screen stay until the new ones arrive. `select`: select the strongest if none is selected. */
export async function refreshIncidents({ select }: { readonly select: boolean } = { select: true }): Promise<void> {
  useCase.setState({ incidentsProblem: null });
  // The same ranks may be other hypotheses now.
  if (select) leaveComparison();
  try {
    const incidents = [...(await client().call('incidents.list', {}))].sort(
      (a, b) => incidentStrength(b.incident) - incidentStrength(a.incident),
    );
    useCase.setState({ incidents });
    const [strongest] = incidents;
    const selected = incidents.find(({ incident }) => incident.id === useFocus.getState().incident);
    if (selected) useFocus.setState({ onset: nanos(selected.onset_ns) });
    else if (strongest && select) selectIncident(strongest);
    void loadClocks();
  } catch (error) {
    useCase.setState({ incidents: [], incidentsProblem: problemOf(error) });
  }
}

/** Not awaited; Sources shows why clocks could not be estimated. */
async function loadClocks(): Promise<void> {
  const clocks = await client()
    .call('clocks.list', {})
    .catch(() => []);
  useCase.setState({ clocks });
}

/** Info of the case on screen; undefined if another case was opened meanwhile. */
export async function currentInfo(): Promise<Output<'case.current'> | undefined> {
  const shown = useCase.getState().info?.name;
  const info = await client().call('case.current', {});
  return useCase.getState().info?.name === shown ? info : undefined;
}

/** Reloads all conclusions. The old ones stay on screen until the new ones arrive. */
export async function reloadConclusions(): Promise<void> {
  const info = await currentInfo();
  if (info === undefined) return;
  useCase.setState((before) => ({ info, revision: before.revision + 1 }));
  // A changed clock moves the bounds of the recording.
  if (info) followBounds(info);
  await Promise.all([loadLanes(), refreshIncidents()]);
}
