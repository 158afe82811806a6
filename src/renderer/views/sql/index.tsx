import { lazy, Suspense } from 'react';
import { Progress } from '../../widgets/progress.tsx';
import { defineView } from '../../widgets/view.tsx';

/** The editor is half as much code as all the rest of the window: it comes when it is asked for. */
const Sql = lazy(async () => ({ default: (await import('./sql.tsx')).Sql }));

export const sqlView = defineView({
  id: 'sql',
  title: 'SQL',
  key: () => '',
  query: ({ client, signal }) => client.call('sql.schema', {}, signal),
  draw: (relations) => (
    <Suspense fallback={<Progress label="Loading the editor" />}>
      <Sql relations={relations} />
    </Suspense>
  ),
});
