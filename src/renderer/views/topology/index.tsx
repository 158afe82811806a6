import { defineView } from '../../widgets/view.tsx';
import { TopologyView } from './topology.tsx';

export const topologyView = defineView({
  id: 'topology',
  title: 'Topology',
  key: () => '',
  changing: ['edge', 'thing'],
  query: ({ client, signal }) => client.call('topology.get', {}, signal),
  draw: (topology) => <TopologyView topology={topology} />,
});
