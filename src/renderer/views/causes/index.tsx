import type { RegisteredView } from '../../widgets/view.tsx';
import { Causes } from './causes.tsx';

/** Its answer, the incidents, is shared by the whole window and lives with the case. */
export const causesView: RegisteredView = { id: 'causes', title: 'Causes', render: (wide) => <Causes wide={wide} /> };
