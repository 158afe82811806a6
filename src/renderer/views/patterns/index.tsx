import { defineView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';
import { Patterns } from './patterns.tsx';

export const patternsView = defineView({
  id: 'patterns',
  title: messages.title,
  key: () => '',
  changing: ['event', 'point', 'span', 'log', 'edge', 'entity'],
  query: ({ client, signal }) => client.call('patterns.list', {}, signal),
  draw: (answer) => <Patterns {...answer} />,
});
