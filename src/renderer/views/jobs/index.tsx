import { useJobChoice } from '../../state/job-choice.ts';
import { lazyPart } from '../../widgets/lazy-part.tsx';
import { defineView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';

const Jobs = lazyPart(async () => (await import('./jobs.tsx')).Jobs);

/** Cells of the heat map per row. */
const BUCKETS = 240;

export const jobsView = defineView({
  id: 'jobs',
  title: messages.title,
  key: ({ window }) => `${window.startNs} ${window.endNs}`,
  useMore: () => useJobChoice(({ job, colour }) => `${job ?? ''} ${colour === 'wait'}`),
  changing: ['span', 'log', 'event', 'edge', 'entity', 'point'],
  query: async ({ client, focus: { window }, signal }) => {
    const { job, colour } = useJobChoice.getState();
    const { jobs, total } = await client.call('jobs.list', {}, signal);
    const chosen = jobs.find(({ id, services }) => id === job || services.includes(job ?? '')) ?? jobs[0];
    const heat =
      chosen &&
      (await client.call(
        'jobs.heat',
        {
          job: chosen.id,
          start_ns: window.startNs,
          end_ns: window.endNs,
          buckets: BUCKETS,
          measure: colour === null ? null : colour === 'wait' ? 'wait' : 'step',
        },
        signal,
      ));
    return { jobs, total, shown: chosen && heat ? { job: chosen, heat, window } : null };
  },
  draw: (answer) => <Jobs {...answer} />,
});
