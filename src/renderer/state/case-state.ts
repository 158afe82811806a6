import { create } from 'zustand';
import type { CaseInfo, IncidentView, Lane, Output } from '../../model/contract/index.ts';
import type { ClockEstimateView } from '../../model/incident/clock-estimate.ts';
import type { Problem } from '../../model/problem.ts';

export type SourcesTab = 'feeds' | 'gaps' | 'remarks' | 'clocks' | 'rejects' | 'names' | 'mechanisms';

export interface OpenedPalette {
  /** Initial text. */
  readonly start: string;
  readonly opening: number;
}

export interface CaseState {
  readonly phase: 'booting' | 'home' | 'opening' | 'open';
  readonly app: Output<'app.info'> | null;
  readonly recent: Output<'case.recent'>;
  readonly info: CaseInfo | null;
  readonly lanes: readonly Lane[];
  /** Outages of the feeds; empty until they are known. */
  readonly silences: Output<'timeline.silences'>;
  readonly incidents: readonly IncidentView[] | null;
  /** Each part of a case fails on its own and shows its problem in its place. */
  readonly openProblem: Problem | null;
  /** Progress of opening a bundle, with the data that the bundle states about itself. */
  readonly opening: { readonly stage: 'checking' | 'loading'; readonly done: number; readonly total: number } | null;
  readonly preview: { readonly case: string; readonly signed_by: string | null; readonly report: string } | null;
  readonly lanesProblem: Problem | null;
  readonly incidentsProblem: Problem | null;
  /** Empty until the incidents are loaded, because they come together. */
  readonly clocks: readonly ClockEstimateView[];
  /** Id of the view in the middle, as in `views/index.ts`; an unknown one shows the first view. */
  readonly view: string;
  readonly sourcesTab: SourcesTab;
  readonly tab: string;
  /** Filter over lanes and entities. */
  readonly search: string;
  readonly keysShown: boolean;
  /** null: closed. */
  readonly palette: OpenedPalette | null;
  /** Duration of the last query. */
  readonly queryMs: number | null;
  /** Increases whenever rows were added, so that older responses are requested again. */
  readonly revision: number;
}

export const useCase = create<CaseState>()(() => ({
  phase: 'booting',
  app: null,
  recent: [],
  info: null,
  lanes: [],
  silences: [],
  incidents: null,
  clocks: [],
  openProblem: null,
  opening: null,
  preview: null,
  lanesProblem: null,
  incidentsProblem: null,
  view: 'timeline',
  sourcesTab: 'remarks',
  tab: 'causes',
  search: '',
  keysShown: false,
  palette: null,
  queryMs: null,
  revision: 0,
}));

export const showView = (view: string): void => useCase.setState({ view });
export const showTab = (tab: string): void => useCase.setState({ tab });

export const showSources = (sourcesTab: SourcesTab): void => useCase.setState({ view: 'sources', sourcesTab });

/** Opens the record of a mark next to the current view. */
export const showDetails = (): void => useCase.setState({ tab: 'details' });
export const setSearch = (search: string): void => useCase.setState({ search });

let openings = 0;
export const openPalette = (start: string): void => useCase.setState({ palette: { start, opening: ++openings } });
/** A dialog reports its closing late, when the next one may already be open. */
export const closePalette = (opening: number): void =>
  useCase.setState(({ palette }) => (palette?.opening === opening ? { palette: null } : {}));

export const showKeys = (keysShown: boolean): void => useCase.setState({ keysShown });

export const useIncident = (id: string | null): IncidentView | null =>
  useCase((state) => state.incidents?.find((view) => view.incident.id === id) ?? null);
