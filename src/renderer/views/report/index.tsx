import { defineView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';
import { Report } from './report.tsx';

export const reportView = defineView({
  id: 'report',
  title: messages.title,
  key: ({ incident }) => incident ?? '',
  query: ({ client, focus, signal }) => client.call('report.document', { incident: focus.incident }, signal),
  draw: (answer) => <Report {...answer} />,
});
