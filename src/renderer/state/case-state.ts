import { create } from 'zustand';
import type { Problem } from '../../model/problem.ts';

export type SourcesTab = 'feeds' | 'gaps' | 'remarks' | 'clocks' | 'rejects' | 'names' | 'mechanisms';

export interface OpenedPalette {
  /** Initial text. */
  readonly start: string;
  readonly opening: number;
}

/** What the window shows; the data of the case is in `known.ts`. */
export interface CaseState {
  readonly phase: 'booting' | 'home' | 'opening' | 'open';
  /** Name of the open case; null: none. */
  readonly name: string | null;
  /** Increases with every case that is opened or closed: answers belong to one. */
  readonly caseId: number;
  /** Increases whenever rows were added, so that older responses are requested again. */
  readonly revision: number;
  /** Each part of a case fails on its own and shows its problem in its place. */
  readonly openProblem: Problem | null;
  /** Progress of opening a bundle, with the data that the bundle states about itself. */
  readonly opening: { readonly stage: 'checking' | 'loading'; readonly done: number; readonly total: number } | null;
  readonly preview: { readonly case: string; readonly signed_by: string | null; readonly report: string } | null;
  /** Cancels the opening; null: nothing is being opened. */
  readonly loading: AbortController | null;
  /** Id of the view in the middle, as in `views/index.ts`; an unknown one shows the first view. */
  readonly view: string;
  readonly sourcesTab: SourcesTab;
  readonly tab: string;
  /** Filter over lanes and entities. */
  readonly search: string;
  readonly keysShown: boolean;
  /** null: closed. */
  readonly palette: OpenedPalette | null;
  /** How often the palette was opened. */
  readonly paletteOpenings: number;
  /** Duration of the last query. */
  readonly queryMs: number | null;
}

export const useCase = create<CaseState>()(() => ({
  phase: 'booting',
  name: null,
  caseId: 0,
  revision: 0,
  openProblem: null,
  opening: null,
  preview: null,
  loading: null,
  view: 'timeline',
  sourcesTab: 'remarks',
  tab: 'causes',
  search: '',
  keysShown: false,
  palette: null,
  paletteOpenings: 0,
  queryMs: null,
}));

export const showView = (view: string): void => useCase.setState({ view });
export const showTab = (tab: string): void => useCase.setState({ tab });

export const showSources = (sourcesTab: SourcesTab): void => useCase.setState({ view: 'sources', sourcesTab });

/** Opens the record of a mark next to the current view. */
export const showDetails = (): void => useCase.setState({ tab: 'details' });
export const setSearch = (search: string): void => useCase.setState({ search });

export const openPalette = (start: string): void =>
  useCase.setState(({ paletteOpenings }) => {
    const opening = paletteOpenings + 1;
    return { palette: { start, opening }, paletteOpenings: opening };
  });
/** A dialog reports its closing late, when the next one may already be open. */
export const closePalette = (opening: number): void =>
  useCase.setState(({ palette }) => (palette?.opening === opening ? { palette: null } : {}));

export const showKeys = (keysShown: boolean): void => useCase.setState({ keysShown });
