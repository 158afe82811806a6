import type { IconName } from '../widgets/icon.tsx';
import type { RegisteredView } from '../widgets/view.tsx';
import { causesView } from './causes/index.tsx';
import { costsView } from './costs/index.tsx';
import { detailsView } from './details/index.tsx';
import { differencesView } from './differences/index.tsx';
import { gpusView } from './gpus/index.tsx';
import { homeView } from './home/index.tsx';
import { jobsView } from './jobs/index.tsx';
import { lifecycleView } from './lifecycle/index.tsx';
import { logsView } from './logs/index.tsx';
import { notesView } from './notes/index.tsx';
import { patternsView } from './patterns/index.tsx';
import { reportView } from './report/index.tsx';
import { rowsView } from './rows/index.tsx';
import { sourcesView } from './sources/index.tsx';
import { sqlView } from './sql/index.tsx';
import { timelineView } from './timeline/index.tsx';
import { topologyView } from './topology/index.tsx';
import { tracesView } from './traces/index.tsx';

/** Where a view appears: `main` in the middle, with an entry in the rail; `side` in the inspector. */
export type Place = 'home' | 'main' | 'side' | 'drawer';
export interface Registration {
  readonly view: RegisteredView;
  readonly places: readonly Place[];
  readonly icon?: IconName;
  /** Rows of the focus can be opened below it. */
  readonly hasRows?: true;
}

/** Keys of the views in the rail, in order; later views have no key. */
export const viewKeys: readonly string[] = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0'];

/** The list of all views; keys 1, 2, … follow the order of the rail. */
export const views: readonly Registration[] = [
  { view: homeView, places: ['home'] },
  { view: timelineView, places: ['main'], icon: 'timeline', hasRows: true },
  { view: causesView, places: ['main', 'side'], icon: 'causes', hasRows: true },
  { view: topologyView, places: ['main'], icon: 'topology' },
  { view: tracesView, places: ['main'], icon: 'traces' },
  { view: gpusView, places: ['main'], icon: 'gpus' },
  { view: jobsView, places: ['main'], icon: 'jobs' },
  { view: logsView, places: ['main'], icon: 'logs' },
  { view: patternsView, places: ['main'], icon: 'patterns' },
  { view: differencesView, places: ['main'], icon: 'differences' },
  { view: lifecycleView, places: ['main'], icon: 'lifecycle' },
  { view: sqlView, places: ['main'], icon: 'sql' },
  { view: reportView, places: ['main'], icon: 'report' },
  { view: sourcesView, places: ['main'], icon: 'sources' },
  { view: costsView, places: ['main'], icon: 'costs' },
  { view: detailsView, places: ['side'] },
  { view: notesView, places: ['side'] },
  { view: rowsView, places: ['drawer'] },
];

export const viewsIn = (place: Place): readonly Registration[] =>
  views.filter((registration) => registration.places.includes(place));
