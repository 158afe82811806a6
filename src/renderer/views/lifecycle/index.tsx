import { lazyPart } from '../../widgets/lazy-part.tsx';
import { defineView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';

const Lifecycle = lazyPart(async () => (await import('./lifecycle.tsx')).Lifecycle);

export const lifecycleView = defineView({
  id: 'lifecycle',
  title: messages.title,
  key: () => '',
  changing: ['span', 'event'],
  query: async ({ client, focus: { bounds }, signal }) => {
    const [repairs, parts] = await Promise.all([
      client.call('lifecycle.list', { start_ns: bounds.startNs, end_ns: bounds.endNs }, signal),
      client.call('parts.list', {}, signal),
    ]);
    return { repairs, parts };
  },
  draw: (answer) => <Lifecycle {...answer} />,
});
