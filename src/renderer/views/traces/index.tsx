import { lazyPart } from '../../widgets/lazy-part.tsx';
import type { RegisteredView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';

const Traces = lazyPart(async () => (await import('./traces.tsx')).Traces);

/** The list and the flame graph each run their own query. */
export const tracesView: RegisteredView = { id: 'traces', title: messages.title, render: () => <Traces /> };
