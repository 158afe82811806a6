import { currentDifferenceRequest, differenceKey, useDifferenceSelection } from '../../state/difference-request.ts';
import { useIncidents } from '../../state/known.ts';
import { lazyPart } from '../../widgets/lazy-part.tsx';
import { defineView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';

const DifferencesView = lazyPart(async () => (await import('./differences.tsx')).DifferencesView);
const NothingToCompare = lazyPart(async () => (await import('./differences.tsx')).NothingToCompare);

export const differencesView = defineView({
  id: 'differences',
  title: messages.view,
  loading: messages.comparing,
  key: differenceKey,
  useMore: () => {
    const { region, choice, slower_than_ms } = useDifferenceSelection();
    const known = useIncidents()?.length ?? -1;
    const own = region
      ? `${region.start_ns} ${region.end_ns} ${region.entities.join(' ')} ${JSON.stringify([region.duration_ms, region.span_name])}`
      : '';
    return `${known} ${own} ${choice} ${slower_than_ms}`;
  },
  changing: ['span', 'log', 'point', 'event'],
  query: async ({ client, focus, signal }) => {
    const request = currentDifferenceRequest(focus, useDifferenceSelection.getState());
    if (!request) return null;
    const { region, baseline } = request;
    return { request: request, found: await client.call('differences.find', { region, baseline }, signal) };
  },
  draw: (answer) => (answer ? <DifferencesView {...answer} /> : <NothingToCompare />),
});
