import type { RegisteredView } from '../../widgets/view.tsx';
import { Rows } from './rows.tsx';

/** Which table it asks for is its own business, so it asks by itself. */
export const rowsView: RegisteredView = { id: 'rows', title: 'Rows', render: () => <Rows /> };
