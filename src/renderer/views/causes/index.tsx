import type { RegisteredView } from '../../widgets/view.tsx';
import { Causes } from './causes.tsx';
import { messages } from './messages.ts';

/** The incidents are shared by the whole app window and are stored with the case state. */
export const causesView: RegisteredView = {
  id: 'causes',
  title: messages.title,
  render: (wide) => <Causes wide={wide} />,
};
