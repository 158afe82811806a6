import { create } from 'zustand';
import { severities } from '../../model/entity.ts';
import type { Annotation, AnnotationChange } from '../../model/incident/annotation.ts';
import { isAbort, problemOf } from '../client/problem-of.ts';
import type { NoteFlag } from '../draw/timeline/note-flags.ts';
import { useCase } from './case-state.ts';
import { client } from './client.ts';
import { loadLanes, reloadConclusions } from './conclusions.ts';
import { useFocus } from './focus.ts';
import { annotationList, known, load, putKnown } from './known.ts';
import { messages } from './messages.ts';
import { refreshAnswers } from './query-cache.ts';
import { rankingNotice } from './ranking-notice.ts';
import { notify, showError } from './toasts.ts';
import { noteAdded } from './unsaved.ts';

/** One change by the investigator, and its inverse. */
interface Step {
  readonly does: string;
  readonly change: AnnotationChange;
  readonly inverse: AnnotationChange;
}

interface Annotations {
  readonly past: readonly Step[];
  readonly future: readonly Step[];
  /** The last change: each one waits for it, because it needs its result. */
  readonly last: Promise<unknown>;
}

/** Changes by this window; the annotations are in `known.ts`. */
export const useAnnotations = create<Annotations>()(() => ({ past: [], future: [], last: Promise.resolve() }));

/** Loads the annotations of a case; the undo history of another case is dropped. */
export async function loadAnnotations(): Promise<void> {
  useAnnotations.setState({ past: [], future: [] });
  try {
    await load('annotations.list');
  } catch (error) {
    if (!isAbort(error)) showError(problemOf(error));
  }
}

/** Reloads after a change in another window; the undo history of this window stays. */
export const refreshAnnotations = (): Promise<void> =>
  runExclusive(async () => {
    await load('annotations.list');
    refreshAnswers('report');
  });

const now = (): bigint => BigInt(Date.now()) * 1_000_000n;

/** Fields of a new annotation; a time only if it is about one. */
export const freshAnnotation = (
  text: string,
): Pick<Annotation, 'id' | 'text' | 'at_ns' | 'until_ns' | 'made_at_ns'> => ({
  id: crypto.randomUUID(),
  text,
  at_ns: null,
  until_ns: null,
  made_at_ns: now(),
});

/** Runs changes one after the other. */
function runExclusive<T>(step: () => Promise<T>): Promise<T> {
  const next = useAnnotations.getState().last.then(step);
  useAnnotations.setState({ last: next.catch(() => undefined) });
  return next;
}

/** Resolves when all pending changes are in the case, for example before an export. */
export const stepsTaken = (): Promise<unknown> => useAnnotations.getState().last;

type Change = Partial<AnnotationChange>;

/**
 * One change: stored in the case and undone as a whole. `does` follows "undone: ".
 * @param change a function is called once all earlier changes are in the list, so that it may build on them
 */
export const annotate = (does: string, change: Change | (() => Change)): Promise<boolean> =>
  runExclusive(() => takeStep(does, typeof change === 'function' ? change() : change));
export const undo = (): Promise<void> => runExclusive(undoStep);
export const redo = (): Promise<void> => runExclusive(redoStep);

async function takeStep(does: string, change: Partial<AnnotationChange>): Promise<boolean> {
  const whole: AnnotationChange = { put: change.put ?? [], remove: change.remove ?? [] };
  const step: Step = { does, change: whole, inverse: inverseOf(annotationList(), whole) };
  if (!(await apply(whole))) return false;
  useAnnotations.setState(({ past }) => ({ past: [...past, step], future: [] }));
  return true;
}

async function undoStep(): Promise<void> {
  const { past, future } = useAnnotations.getState();
  const step = past.at(-1);
  if (!step) return notify(messages.nothingToUndo);
  if (!(await apply(step.inverse))) return;
  useAnnotations.setState({ past: past.slice(0, -1), future: [step, ...future] });
  notify(messages.undone(step.does));
}

async function redoStep(): Promise<void> {
  const { past, future } = useAnnotations.getState();
  const [step, ...rest] = future;
  if (!step) return notify(messages.nothingToRedo);
  if (!(await apply(step.change))) return;
  useAnnotations.setState({ past: [...past, step], future: rest });
  notify(messages.redone(step.does));
}

function inverseOf(list: readonly Annotation[], { put, remove }: AnnotationChange): AnnotationChange {
  const touched = new Set([...put.map(({ id }) => id), ...remove]);
  const before = list.filter(({ id }) => touched.has(id));
  const known = new Set(before.map(({ id }) => id));
  return { put: before, remove: put.map(({ id }) => id).filter((id) => !known.has(id)) };
}

/** Stores the change first, so that a rejected change is not shown as done. */
async function apply(change: AnnotationChange): Promise<boolean> {
  const before = annotationList();
  const { caseId } = useCase.getState();
  try {
    await client().call('annotations.change', change);
  } catch (error) {
    showError(problemOf(error));
    return false;
  }
  // The change is stored in the former case.
  if (caseId !== useCase.getState().caseId) return false;
  noteAdded();
  const gone = new Set([...change.remove, ...change.put.map(({ id }) => id)]);
  const touched = [...before.filter(({ id }) => gone.has(id)), ...change.put];
  const list = [...before.filter(({ id }) => !gone.has(id)), ...change.put];
  list.sort((a, b) => (a.made_at_ns === b.made_at_ns ? 0 : a.made_at_ns < b.made_at_ns ? -1 : 1));
  putKnown('annotations.list', list);
  refreshAnswers('report');
  if (touched.some(({ kind }) => kind === 'edge' || kind === 'clock')) await rankAgain();
  else if (touched.some(isDrawn)) await loadLanes();
  return true;
}

/** Ranks may change far from where the edit was made. */
async function rankAgain(): Promise<void> {
  const before = known('incidents.list') ?? [];
  const { incident } = useFocus.getState();
  await reloadConclusions();
  const notice = rankingNotice(before, known('incidents.list') ?? [], incident);
  if (notice !== null) notify(notice);
}

/** An annotation with a lane on the timeline. */
export const isDrawn = (annotation: Annotation): boolean =>
  annotation.kind === 'search' || (annotation.kind === 'query' && annotation.lane !== null);

/** Letters of notes on every view: A, B, … Z, AA. */
export function noteMarkers(list: readonly Annotation[]): ReadonlyMap<string, string> {
  const notes = list.filter(({ kind }) => kind === 'note');
  return new Map(notes.map(({ id }, at) => [id, letters(at)]));
}

/** Notes with a time. */
export function noteFlags(list: readonly Annotation[]): NoteFlag[] {
  const names = noteMarkers(list);
  return list.flatMap((one) => {
    if (one.kind !== 'note' || one.at_ns === null) return [];
    const severity = one.severity === undefined ? null : severities.indexOf(one.severity);
    return [{ letter: names.get(one.id) ?? '', at: one.at_ns, until: one.until_ns, severity }];
  });
}

function letters(at: number): string {
  const last = String.fromCharCode(65 + (at % 26));
  return at < 26 ? last : letters(Math.floor(at / 26) - 1) + last;
}
