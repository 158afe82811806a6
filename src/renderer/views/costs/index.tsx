import { lazyPart } from '../../widgets/lazy-part.tsx';
import { defineView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';

const Costs = lazyPart(async () => (await import('./costs.tsx')).Costs);

export const costsView = defineView({
  id: 'costs',
  title: messages.title,
  key: ({ window }) => `${window.startNs} ${window.endNs}`,
  changing: ['span', 'edge', 'entity'],
  query: async ({ client, focus: { window }, signal }) => ({
    window,
    costs: await client.call('costs.list', { start_ns: window.startNs, end_ns: window.endNs }, signal),
  }),
  draw: (answer) => <Costs {...answer} />,
});
