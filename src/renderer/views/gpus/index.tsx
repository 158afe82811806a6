import { useGpuMetric } from '../../state/gpu-metric.ts';
import { lazyPart } from '../../widgets/lazy-part.tsx';
import { defineView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';

const Gpus = lazyPart(async () => (await import('./gpus.tsx')).Gpus);

/** Cells of the heat map per row. */
const BUCKETS = 240;

export const gpusView = defineView({
  id: 'gpus',
  title: messages.title,
  key: ({ window }) => `${window.startNs} ${window.endNs}`,
  useMore: () => useGpuMetric(({ metric }) => metric ?? ''),
  changing: ['point', 'event', 'edge', 'entity'],
  query: async ({ client, focus: { window }, signal }) => {
    const { metric } = useGpuMetric.getState();
    const queryInput = { start_ns: window.startNs, end_ns: window.endNs, buckets: BUCKETS, metric };
    return { fleet: await client.call('gpus.fleet', queryInput, signal), window };
  },
  draw: (answer) => <Gpus {...answer} />,
});
