import type { ReactNode } from 'react';
import type { Client } from '../client/client.ts';
import { useCase } from '../state/case-state.ts';
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

/** A view queries data for the focus and draws the response. */
export interface View<A> {
  readonly id: string;
  readonly title: string;
  /** The part of the focus that the data depends on; a change runs the query again. */
  readonly key: (focus: Focus) => string;
  /** Other state that the data depends on; a hook. */
  readonly useMore?: () => string;
  /** Live data that changes the response. */
  readonly changing?: readonly Changing[];
  readonly query: (context: ViewContext) => Promise<A>;
  /** `wide`: in the middle of the window instead of a side panel. */
  readonly draw: (answer: A, wide: boolean) => ReactNode;
}

export interface RegisteredView {
  readonly id: string;
  readonly title: string;
  readonly render: (wide: boolean) => ReactNode;
}

export const defineView = <A,>(view: View<A>): RegisteredView => ({
  id: view.id,
  title: view.title,
  render: (wide) => <ViewPanel view={view} wide={wide} />,
});

const nothingMore = (): string => '';

interface ViewPanelProps<A> {
  readonly view: View<A>;
  readonly wide: boolean;
}

/** Shared behaviour of views: delayed progress, failures in place, the old data until the new data arrives. */
function ViewPanel<A>({ view, wide }: ViewPanelProps<A>) {
  const { window, bounds } = useSteadyStretch();
  const key = useFocus((focus) => view.key({ ...focus, window, bounds }));
  const revision = useCase((state) => state.revision);
  const more = (view.useMore ?? nothingMore)();
  const { value, problem, slow, retry } = useAnswer(
    `${revision} ${key} ${more}`,
    (signal) => view.query({ client: client(), focus: useFocus.getState(), signal }),
    view.changing,
  );
  return (
    <section className={`view view-${view.id}`} aria-label={view.title}>
      {problem ? <ProblemNote problem={problem} what={view.title} onRetry={retry} /> : null}
      {slow ? <Progress label={messages.loading(view.title.toLowerCase())} /> : null}
      {value === undefined ? null : view.draw(value, wide)}
    </section>
  );
}
