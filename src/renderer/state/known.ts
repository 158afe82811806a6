import { CancelledError, QueryObserver, skipToken, useQuery } from '@tanstack/react-query';
import type { CaseInfo, IncidentView, Lane, Output, SilenceView, Table } from '../../model/contract/index.ts';
import type { Annotation } from '../../model/incident/annotation.ts';
import type { ClockEstimateView } from '../../model/incident/clock-estimate.ts';
import { incidentStrength } from '../../model/incident/incident.ts';
import { type Answer, useProblem, useSlow } from './answer.ts';
import { type CaseState, useCase } from './case-state.ts';
import { client } from './client.ts';
import { KNOWN, queries } from './query-cache.ts';

/** The last result of the investigator's own query. */
export interface SqlAnswer {
  readonly sql: string;
  readonly table: Table;
  readonly ms: number;
}

/** Data that many parts of the window read. It is loaded when it changes and stays, used or not, until the case closes. */
interface Known {
  readonly 'app.info': Output<'app.info'>;
  readonly 'case.recent': Output<'case.recent'>;
  readonly 'case.current': Output<'case.current'>;
  readonly 'timeline.lanes': readonly Lane[];
  /** Outages of the feeds. */
  readonly 'timeline.silences': readonly SilenceView[];
  /** The strongest first. */
  readonly 'incidents.list': readonly IncidentView[];
  readonly 'clocks.list': readonly ClockEstimateView[];
  /** In the order of their creation. */
  readonly 'annotations.list': readonly Annotation[];
  readonly 'query.sql': SqlAnswer;
}
type KnownName = keyof Known;
type Read<N extends KnownName> = (signal: AbortSignal) => Promise<Known[N]>;

const byStrength = (incidents: readonly IncidentView[]): readonly IncidentView[] =>
  incidents.toSorted((a, b) => incidentStrength(b.incident) - incidentStrength(a.incident));

const readers: { readonly [N in Exclude<KnownName, 'query.sql'>]: Read<N> } = {
  'app.info': (signal) => client().call('app.info', {}, signal),
  'case.recent': (signal) => client().call('case.recent', {}, signal),
  'case.current': (signal) => client().call('case.current', {}, signal),
  'timeline.lanes': (signal) => client().call('timeline.lanes', {}, signal),
  'timeline.silences': (signal) => client().call('timeline.silences', {}, signal),
  'incidents.list': async (signal) => byStrength(await client().call('incidents.list', {}, signal)),
  'clocks.list': (signal) => client().call('clocks.list', {}, signal),
  'annotations.list': (signal) => client().call('annotations.list', {}, signal),
};

/** All other data belongs to one case. */
const ofWindow: ReadonlySet<KnownName> = new Set(['app.info', 'case.recent'] as const);

const keyOf = (name: KnownName, caseId: number) => [KNOWN, ofWindow.has(name) ? null : caseId, name] as const;
const currentKey = (name: KnownName) => keyOf(name, useCase.getState().caseId);

/** What is known now, outside of components; undefined: not yet. */
export const known = <N extends KnownName>(name: N): Known[N] | undefined =>
  queries.getQueryData<Known[N]>(currentKey(name));

/** Replaces what is known, by a part of it or after a change in this window. */
export const putKnown = <N extends KnownName>(name: N, value: Known[N]): void =>
  void queries.setQueryData(currentKey(name), value);

/**
 * Loads it anew. What is known stays until then, and a problem is shown beside it. An older request is aborted, and its caller
 * gets the newer answer.
 */
export const load = <N extends keyof typeof readers>(name: N): Promise<Known[N]> => loadBy(name, readers[name]);

/** The same by another request. */
export async function loadBy<N extends KnownName>(name: N, read: Read<N>): Promise<Known[N]> {
  const queryKey = currentKey(name);
  void queries.cancelQueries({ queryKey, exact: true }, { silent: true, revert: false });
  // A reader until then: the cache aborts what loses its last one, and a new revision mounts the timeline anew.
  const leave = new QueryObserver(queries, { queryKey, queryFn: skipToken }).subscribe(() => undefined);
  try {
    return await queries.fetchQuery({ queryKey, queryFn: ({ signal }) => read(signal), staleTime: 0 });
  } catch (error) {
    // Another case is open by now.
    throw error instanceof CancelledError ? new DOMException(error.message, 'AbortError') : error;
  } finally {
    leave();
  }
}

/** What is known stays. */
export const cancelLoading = (name: KnownName): void =>
  void queries.cancelQueries({ queryKey: currentKey(name), exact: true });

export const forgetKnown = (name: KnownName): void =>
  void queries.resetQueries({ queryKey: currentKey(name), exact: true });

function useQueryOf<N extends KnownName>(name: N) {
  const queryKey = keyOf(
    name,
    useCase((state) => state.caseId),
  );
  return useQuery<Known[N]>({ queryKey, queryFn: skipToken }, queries);
}

const useKnown = <N extends KnownName>(name: N): Known[N] | undefined => useQueryOf(name).data;

/** As the answer of a view. */
export function useKnownAnswer<N extends KnownName>(name: N, retry: () => void): Answer<Known[N]> {
  const { data, error, isFetching } = useQueryOf(name);
  const slow = useSlow(isFetching && data === undefined);
  return { value: data, isOld: false, problem: useProblem(error), isLoading: isFetching, slow, retry };
}

/** Another case, or none, is on screen from now on. Answers of the former case are dropped, late ones too. */
export function enterCase(info: CaseInfo | null, more: Partial<CaseState>): void {
  const { caseId: former, revision } = useCase.getState();
  const caseId = former + 1;
  // First, so that nothing is drawn without it.
  queries.setQueryData(keyOf('case.current', caseId), info);
  useCase.setState({ ...more, name: info?.name ?? null, caseId, revision: revision + 1 });
  queries.removeQueries({ predicate: ({ queryKey: [kind, id] }) => kind === KNOWN && id === former });
}

const noLanes: readonly Lane[] = [];
const noSilences: readonly SilenceView[] = [];
const noClocks: readonly ClockEstimateView[] = [];
const noAnnotations: readonly Annotation[] = [];
const noCases: Output<'case.recent'> = [];

export const useApp = (): Output<'app.info'> | null => useKnown('app.info') ?? null;
export const useRecent = (): Output<'case.recent'> => useKnown('case.recent') ?? noCases;
/** null: no case is open. */
export const useInfo = (): CaseInfo | null => useKnown('case.current') ?? null;
export const useLanes = (): readonly Lane[] => useKnown('timeline.lanes') ?? noLanes;
/** Empty until they are known; until then, outages look like gaps. */
export const useSilences = (): readonly SilenceView[] => useKnown('timeline.silences') ?? noSilences;
/** null: not known yet. */
export const useIncidents = (): readonly IncidentView[] | null => useKnown('incidents.list') ?? null;
export const useClocks = (): readonly ClockEstimateView[] => useKnown('clocks.list') ?? noClocks;
export const useAnnotationList = (): readonly Annotation[] => useKnown('annotations.list') ?? noAnnotations;
export const annotationList = (): readonly Annotation[] => known('annotations.list') ?? noAnnotations;

export const useIncident = (id: string | null): IncidentView | null =>
  useIncidents()?.find((view) => view.incident.id === id) ?? null;
export const incidentOf = (id: string | null): IncidentView | null =>
  known('incidents.list')?.find((view) => view.incident.id === id) ?? null;
