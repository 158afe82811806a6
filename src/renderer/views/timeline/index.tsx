import { defineView } from '../../widgets/view.tsx';
import { LaneSkeleton } from './lane-skeleton.tsx';
import { messages } from './messages.ts';
import { Timeline } from './timeline.tsx';

const OVERVIEW_BUCKETS = 800;

export const timelineView = defineView({
  id: 'timeline',
  title: messages.title,
  key: ({ bounds }) => `${bounds.startNs} ${bounds.endNs}`,
  query: ({ client, focus, signal }) =>
    client.call(
      'timeline.overview',
      { start_ns: focus.bounds.startNs, end_ns: focus.bounds.endNs, buckets: OVERVIEW_BUCKETS },
      signal,
    ),
  skeleton: () => <LaneSkeleton />,
  draw: (overview) => <Timeline overview={overview} />,
});
