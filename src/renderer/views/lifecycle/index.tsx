import { defineView } from '../../widgets/view.tsx';
import { Lifecycle } from './lifecycle.tsx';
import { messages } from './messages.ts';

export const lifecycleView = defineView({
  id: 'lifecycle',
  title: messages.title,
  key: () => '',
  changing: ['span', 'event'],
  query: ({ client, focus: { bounds }, signal }) =>
    client.call('lifecycle.list', { start_ns: bounds.startNs, end_ns: bounds.endNs }, signal),
  draw: (answer) => <Lifecycle {...answer} />,
});
