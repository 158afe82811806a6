import type { RegisteredView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';
import { Traces } from './traces.tsx';

/** The list and the flame graph each run their own query. */
export const tracesView: RegisteredView = { id: 'traces', title: messages.title, render: () => <Traces /> };
