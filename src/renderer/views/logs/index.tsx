import { incidentOf, useIncidents } from '../../state/known.ts';
import { lazyPart } from '../../widgets/lazy-part.tsx';
import { defineView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';
import { BUCKETS } from './sparkline.tsx';

const LogsView = lazyPart(async () => (await import('./logs.tsx')).LogsView);

export const logsView = defineView({
  id: 'logs',
  title: messages.title,
  key: ({ window, entities, incident }) => `${window.startNs} ${window.endNs} ${entities.join(' ')} ${incident}`,
  useMore: () => String(useIncidents()?.length ?? -1),
  changing: ['log'],
  query: async ({ client, focus, signal }) => {
    const { window, entities, incident } = focus;
    const view = incidentOf(incident);
    const time = { start_ns: window.startNs, end_ns: window.endNs };
    const since_ns = view?.onset_earliest_ns ?? null;
    const queryInput = { ...time, entities: [...entities], since_ns, buckets: BUCKETS };
    const onset_ns = view?.onset_ns ?? null;
    return { time, onset_ns, found: await client.call('logs.templates', queryInput, signal) };
  },
  draw: (answer) => <LogsView {...answer} />,
});
