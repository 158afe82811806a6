import type { RegisteredView } from '../../widgets/view.tsx';
import { Traces } from './traces.tsx';

/** Its list and its flame graph ask different questions, each by itself. */
export const tracesView: RegisteredView = { id: 'traces', title: 'Traces', render: () => <Traces /> };
