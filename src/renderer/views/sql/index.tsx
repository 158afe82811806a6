import { lazy, Suspense } from 'react';
import { Progress } from '../../widgets/progress.tsx';
import { defineView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';

/** The editor is about half as much code as the rest of the window, so it is loaded on demand. */
const Sql = lazy(async () => ({ default: (await import('./sql.tsx')).Sql }));

export const sqlView = defineView({
  id: 'sql',
  title: messages.title,
  key: () => '',
  query: ({ client, signal }) => client.call('sql.schema', {}, signal),
  draw: (relations) => (
    <Suspense fallback={<Progress label={messages.loading} />}>
      <Sql relations={relations} />
    </Suspense>
  ),
});
