import type { RegisteredView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';
import { Rows } from './rows.tsx';

/** It queries by itself, because only it knows the selected table. */
export const rowsView: RegisteredView = { id: 'rows', title: messages.title, render: () => <Rows /> };
