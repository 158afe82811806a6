import { defineView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';
import { TopologyView } from './topology.tsx';

export const topologyView = defineView({
  id: 'topology',
  title: messages.title,
  key: () => '',
  changing: ['edge', 'entity'],
  query: ({ client, signal }) => client.call('topology.get', {}, signal),
  draw: (topology) => <TopologyView topology={topology} />,
});
