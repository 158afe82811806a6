import { lazyPart } from '../../widgets/lazy-part.tsx';
import { defineView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';

const TopologyView = lazyPart(async () => (await import('./topology.tsx')).TopologyView);

export const topologyView = defineView({
  id: 'topology',
  title: messages.title,
  key: () => '',
  changing: ['edge', 'entity'],
  query: ({ client, signal }) => client.call('topology.get', {}, signal),
  draw: (topology) => <TopologyView topology={topology} />,
});
