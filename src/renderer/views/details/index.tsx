import { defineView } from '../../widgets/view.tsx';
import { Details, NothingSelected } from './details.tsx';
import { messages } from './messages.ts';

export const detailsView = defineView({
  id: 'details',
  title: messages.title,
  key: ({ selected }) => selected ?? '',
  query: async ({ client, focus, signal }) => {
    if (focus.selected === null) return null;
    return { asked: focus.selected, record: await client.call('evidence.get', { ref: focus.selected }, signal) };
  },
  draw: (answer) => (answer ? <Details requestedRef={answer.asked} record={answer.record} /> : <NothingSelected />),
});
