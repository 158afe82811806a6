import type { RegisteredView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';
import { Notes } from './notes.tsx';

/** The annotations are shared by the whole app window and are stored in the case. */
export const notesView: RegisteredView = { id: 'notes', title: messages.title, render: () => <Notes /> };
