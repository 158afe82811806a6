import { defineView } from '../../widgets/view.tsx';
import { Sources } from './sources.tsx';

const MOST_REJECTS = 1000;

export const sourcesView = defineView({
  id: 'sources',
  title: 'Sources',
  key: () => '',
  query: async ({ client, signal }) => {
    const [rejects, names] = await Promise.all([
      client.call('rejects.list', { limit: MOST_REJECTS }, signal),
      client.call('names.list', {}, signal),
    ]);
    return { rejects, names };
  },
  draw: ({ rejects, names }) => <Sources rejects={rejects} names={names} />,
});
