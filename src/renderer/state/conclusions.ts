import type { Output } from '../../model/contract/index.ts';
import { incidentStrength } from '../../model/incident/incident.ts';
import { nanos } from '../../model/time.ts';
import { problemOf } from '../client/problem-of.ts';
import { useCase } from './case-state.ts';
import { client } from './client.ts';
import { leaveComparison } from './comparison.ts';
import { followBounds, selectIncident, useFocus } from './focus.ts';

/** What was recorded can be looked at while it is being judged; then who is involved comes to the front. */
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

/** Nothing waits for them: until they are known a gap is a gap. */
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

/** The incidents on screen stay until the new ones are there. `select`: the strongest, when none is. */
export async function refreshIncidents({ select }: { readonly select: boolean } = { select: true }): Promise<void> {
  useCase.setState({ incidentsProblem: null });
  // Ranks of before may be other hypotheses now.
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

/** Nothing waits for them; where they cannot be told, Sources says why. */
async function loadClocks(): Promise<void> {
  const clocks = await client()
    .call('clocks.list', {})
    .catch(() => []);
  useCase.setState({ clocks });
}

/** Of the case on screen; undefined when that was left while it was asked for. */
export async function currentInfo(): Promise<Output<'case.current'> | undefined> {
  const shown = useCase.getState().info?.name;
  const info = await client().call('case.current', {});
  return useCase.getState().info?.name === shown ? info : undefined;
}

/** What is concluded may have changed. What is on screen stays until the new answers are there. */
export async function reloadConclusions(): Promise<void> {
  const info = await currentInfo();
  if (info === undefined) return;
  useCase.setState((before) => ({ info, revision: before.revision + 1 }));
  // A clock that was set moves where the recording begins and ends.
  if (info) followBounds(info);
  await Promise.all([loadLanes(), refreshIncidents()]);
}
