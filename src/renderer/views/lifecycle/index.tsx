import { defineView } from '../../widgets/view.tsx';
import { Lifecycle } from './lifecycle.tsx';

export const lifecycleView = defineView({
  id: 'lifecycle',
  title: 'Lifecycle',
  key: () => '',
  changing: ['span', 'event'],
  query: ({ client, focus: { bounds }, signal }) =>
    client.call('lifecycle.list', { start_ns: bounds.startNs, end_ns: bounds.endNs }, signal),
  draw: (answer) => <Lifecycle {...answer} />,
});
