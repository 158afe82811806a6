import { create } from 'zustand';
import type { Baseline, IncidentView, Region } from '../../model/contract/index.ts';
import { showView } from './case-state.ts';
import { type Focus, useFocus } from './focus.ts';
import { incidentOf } from './known.ts';

/** Baselines of the selection; `quiet` is the time before the incident. */
export const baselineChoices = ['rest', 'before', 'quiet', 'beside'] as const;
export type BaselineChoice = (typeof baselineChoices)[number];

interface DifferenceSelection {
  /** Region from a chart; null: the brush, or else the incident. */
  readonly region: Region | null;
  /** null: the default for the region. */
  readonly choice: BaselineChoice | null;
  /** Only spans that took longer, in ms; null: all. */
  readonly slower_than_ms: number | null;
}

export const useDifferenceSelection = create<DifferenceSelection>()(() => ({
  region: null,
  choice: null,
  slower_than_ms: null,
}));

export const chooseBaseline = (choice: BaselineChoice): void => useDifferenceSelection.setState({ choice });
export const chooseSlow = (slower_than_ms: number | null): void =>
  useDifferenceSelection.setState({ slower_than_ms, choice: slower_than_ms === null ? null : 'beside' });
export const dropRegion = (): void => useDifferenceSelection.setState({ region: null, choice: null });

/** Opens Differences for a region of a chart; without one, for the brush, or else the incident. */
export function showDifferences(region: Region | null = null, choice: BaselineChoice | null = null): void {
  useDifferenceSelection.setState({ region, choice, slower_than_ms: null });
  showView('differences');
}

/** Opens Differences for entities, in the brush, or else the incident, or else the window on screen. */
export function showDifferencesOf(entityKeys: readonly string[]): void {
  const focus = useFocus.getState();
  const { startNs, endNs } = focus.window;
  const { start_ns, end_ns } = timeOf(focus, incidentOf(focus.incident))?.time ?? { start_ns: startNs, end_ns: endNs };
  showDifferences({ start_ns, end_ns, entities: [...entityKeys], duration_ms: null, span_name: null }, 'beside');
}

/** A region, its baseline, and the origin of the region. */
export interface DifferenceRequest {
  readonly region: Region;
  readonly baseline: Baseline;
  readonly choice: BaselineChoice;
  readonly from: 'chart' | 'brush' | 'incident';
}

/** Length of the baseline before an incident. */
const QUIET_NS = 600_000_000_000n;

const quietBefore = ({ previous_ns }: IncidentView): Baseline => ({
  kind: 'chosen',
  start_ns: previous_ns - QUIET_NS,
  end_ns: previous_ns,
});

/** The request for the current focus; null: no brush and no incident. */
export function currentDifferenceRequest(focus: Focus, selection: DifferenceSelection): DifferenceRequest | null {
  const incident = incidentOf(focus.incident);
  const found = regionOf(focus, selection, incident);
  if (!found) return null;
  const { slower_than_ms } = selection;
  const limited = slower_than_ms === null ? {} : { duration_ms: { from: slower_than_ms, below: null } };
  const region = { ...found.region, ...limited };
  const possible = possibleBaselines(region, incident);
  // An operation differs from all others by its name, so it is compared with its own past if there is one.
  const hasPast = region.span_name !== null && region.start_ns > focus.bounds.startNs;
  // Against all other rows, selected entities would differ by their identity only.
  const ofEntities: readonly BaselineChoice[] = region.entities.length > 0 ? ['beside'] : [];
  const ofTime: readonly BaselineChoice[] = hasPast
    ? ['quiet', 'before']
    : found.from === 'incident'
      ? ['quiet', ...ofEntities]
      : [...ofEntities, ...ofBrush(region, incident)];
  const wanted = selection.choice === null ? ofTime : [selection.choice];
  const choice = wanted.find((one) => possible.includes(one)) ?? 'rest';
  const baseline: Baseline = choice === 'quiet' && incident ? quietBefore(incident) : { kind: plainKind(choice) };
  return { region, baseline, choice, from: found.from };
}

/** All other rows hold the rest of the incident, and would hide what the brush shows of it. */
function ofBrush({ start_ns }: Region, incident: IncidentView | null): readonly BaselineChoice[] {
  if (!incident || start_ns > incident.end_ns) return [];
  // As long before; within the impact that would be the impact itself.
  return start_ns > incident.onset_ns ? ['quiet'] : ['before'];
}

/** Whether the baseline holds a part of the incident. */
export const holdsIncident = ({ region, choice }: DifferenceRequest, incident: IncidentView | null): boolean =>
  choice === 'rest' && incident !== null && (incident.onset_ns < region.start_ns || incident.end_ns > region.end_ns);

const plainKind = (choice: BaselineChoice): 'rest' | 'before' | 'beside' => (choice === 'quiet' ? 'rest' : choice);

/** A window alone has no peers. */
export const possibleBaselines = (
  { entities, duration_ms, span_name, start_ns }: Region,
  incident: IncidentView | null,
): readonly BaselineChoice[] =>
  baselineChoices.filter((choice) => {
    if (choice === 'beside') return entities.length > 0 || duration_ms !== null || span_name !== null;
    return choice !== 'quiet' || (incident !== null && incident.previous_ns <= start_ns);
  });

function regionOf(
  focus: Focus,
  { region }: DifferenceSelection,
  incident: IncidentView | null,
): Pick<DifferenceRequest, 'region' | 'from'> | null {
  if (region) return { region, from: 'chart' };
  const found = timeOf(focus, incident);
  if (!found) return null;
  return {
    region: { ...found.time, entities: [...focus.entities], duration_ms: null, span_name: null },
    from: found.from,
  };
}

interface SelectedTime {
  readonly time: Pick<Region, 'start_ns' | 'end_ns'>;
  readonly from: 'brush' | 'incident';
}

/** The brush, or else the incident. */
function timeOf({ brush }: Focus, incident: IncidentView | null): SelectedTime | null {
  if (brush && brush.startNs < brush.endNs)
    return { time: { start_ns: brush.startNs, end_ns: brush.endNs }, from: 'brush' };
  if (!incident) return null;
  return { time: { start_ns: incident.onset_earliest_ns, end_ns: incident.end_ns + 1n }, from: 'incident' };
}

/** Changes whenever the request changes. */
export const differenceKey = (focus: Focus): string =>
  `${focus.brush?.startNs} ${focus.brush?.endNs} ${focus.incident} ${focus.entities.join(' ')}`;
