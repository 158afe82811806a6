import { defineView } from '../../widgets/view.tsx';
import { Sources } from './sources.tsx';

const MOST_REJECTS = 1000;

export const sourcesView = defineView({
  id: 'sources',
  title: 'Sources',
  key: () => '',
  query: ({ client, signal }) => client.call('rejects.list', { limit: MOST_REJECTS }, signal),
  draw: (rejects) => <Sources rejects={rejects} />,
});
