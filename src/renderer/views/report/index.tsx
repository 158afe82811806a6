import { useAnnotations } from '../../state/annotations.ts';
import { useRates } from '../../state/rates.ts';
import { defineView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';
import { Report } from './report.tsx';

export const reportView = defineView({
  id: 'report',
  title: messages.title,
  key: ({ incident }) => incident ?? '',
  useMore: () => {
    const edition = useAnnotations((state) => state.edition);
    return `${edition} ${useRates((state) => state.edition)}`;
  },
  query: ({ client, focus, signal }) => client.call('report.document', { incident: focus.incident }, signal),
  draw: (answer) => <Report {...answer} />,
});
