import type { RegisteredView } from '../../widgets/view.tsx';
import { Notes } from './notes.tsx';

/** The annotations are shared by the whole window and live with the case. */
export const notesView: RegisteredView = { id: 'notes', title: 'Notes', render: () => <Notes /> };
