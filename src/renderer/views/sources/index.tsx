import { lazyPart } from '../../widgets/lazy-part.tsx';
import { defineView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';

const Sources = lazyPart(async () => (await import('./sources.tsx')).Sources);

const MOST_REJECTS = 1000;

export const sourcesView = defineView({
  id: 'sources',
  title: messages.title,
  key: () => '',
  changing: ['reject', 'entity'],
  query: async ({ client, signal }) => {
    const [rejects, names, clocks, mechanisms] = await Promise.all([
      client.call('rejects.list', { limit: MOST_REJECTS }, signal),
      client.call('names.list', {}, signal),
      client.call('clocks.list', {}, signal),
      client.call('mechanisms.status', {}, signal),
    ]);
    return { rejects, names, clocks, mechanisms };
  },
  draw: (answer) => <Sources {...answer} />,
});
