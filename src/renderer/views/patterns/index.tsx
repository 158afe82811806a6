import { lazyPart } from '../../widgets/lazy-part.tsx';
import { defineView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';

const Patterns = lazyPart(async () => (await import('./patterns.tsx')).Patterns);

export const patternsView = defineView({
  id: 'patterns',
  title: messages.title,
  key: () => '',
  changing: ['event', 'point', 'span', 'log', 'edge', 'entity'],
  query: ({ client, signal }) => client.call('patterns.list', {}, signal),
  draw: (answer) => <Patterns {...answer} />,
});
