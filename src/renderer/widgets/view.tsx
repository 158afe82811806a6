import { type ReactNode, useEffect } from 'react';
import type { Client } from '../client/client.ts';
import type { Answer } from '../state/answer.ts';
import { client } from '../state/client.ts';
import { type Focus, useFocus } from '../state/focus.ts';
import type { Changing } from '../state/live-refresh.ts';
import { useAnswer } from '../state/use-answer.ts';
import { useSteadyStretch } from '../state/use-settled-window.ts';
import { messages } from './messages.ts';
import { ProblemNote } from './problem-note.tsx';
import { Progress } from './progress.tsx';

export interface ViewContext {
  readonly client: Client;
  readonly focus: Focus;
  readonly signal: AbortSignal;
}

interface Drawn<A> {
  readonly id: string;
  readonly title: string;
  /** Text of its progress. */
  readonly loading?: string;
  /** What its place looks like until the first answer. */
  readonly skeleton?: () => ReactNode;
  /** `wide`: in the middle of the window instead of a side panel. */
  readonly draw: (answer: A, wide: boolean) => ReactNode;
}

/** A view queries data for the focus and draws the response. */
export interface View<A> extends Drawn<A> {
  /** The part of the focus that the data depends on; a change runs the query again. */
  readonly key: (focus: Focus) => string;
  /** Other state that the data depends on; a hook. */
  readonly useMore?: () => string;
  /** Live data that changes the response. */
  readonly changing?: readonly Changing[];
  readonly query: (context: ViewContext) => Promise<A>;
}

/** A view of data that many parts of the window read. */
interface SharedView<A> extends Drawn<A> {
  /** A hook. */
  readonly useShared: () => Answer<A>;
}

export interface RegisteredView {
  readonly id: string;
  readonly title: string;
  readonly render: (wide: boolean) => ReactNode;
}

export const defineView = <A,>(view: View<A> | SharedView<A>): RegisteredView => {
  const useData = 'query' in view ? () => useQueried(view) : view.useShared;
  return {
    id: view.id,
    title: view.title,
    render: (wide) => <ViewPanel view={view} useData={useData} wide={wide} />,
  };
};

let onDrawn = (): void => {};
/** Runs `run` whenever a view draws its first answer. */
export const whenDrawn = (run: () => void): void => {
  onDrawn = run;
};

const nothingMore = (): string => '';

function useQueried<A>(view: View<A>): Answer<A> {
  const { window, bounds } = useSteadyStretch();
  const key = useFocus((focus) => view.key({ ...focus, window, bounds }));
  const more = (view.useMore ?? nothingMore)();
  return useAnswer(
    [view.id, key, more],
    (signal) => view.query({ client: client(), focus: { ...useFocus.getState(), window, bounds }, signal }),
    view.changing,
  );
}

interface ViewPanelProps<A> {
  readonly view: Drawn<A>;
  readonly useData: () => Answer<A>;
  readonly wide: boolean;
}

/** `Topology` becomes `topology`; `GPUs` and `SQL` stay. */
const inSentence = (title: string): string =>
  /^[A-Z]{2}/.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1);

/** Shared behaviour of views: delayed progress, failures in place, the old data until the new data arrives. */
function ViewPanel<A>({ view, useData, wide }: ViewPanelProps<A>) {
  const { value, problem, slow, retry } = useData();
  const isDrawn = value !== undefined;
  useEffect(() => {
    if (isDrawn) onDrawn();
  }, [isDrawn]);
  return (
    <section className={`view view-${view.id}${wide ? ' wide' : ''}`} aria-label={view.title}>
      {problem ? <ProblemNote problem={problem} what={view.title} onRetry={retry} /> : null}
      {slow ? (
        <div className={value === undefined ? '' : 'progress-over'}>
          <Progress label={view.loading ?? messages.loading(inSentence(view.title))} />
        </div>
      ) : null}
      {value !== undefined ? view.draw(value, wide) : problem ? null : view.skeleton?.()}
    </section>
  );
}
