import { reportRequest, useReportLayout } from '../../state/report-layout.ts';
import { lazyPart } from '../../widgets/lazy-part.tsx';
import { defineView } from '../../widgets/view.tsx';
import { messages } from './messages.ts';

const Report = lazyPart(async () => (await import('./report.tsx')).Report);

export const reportView = defineView({
  id: 'report',
  title: messages.title,
  key: ({ incident }) => incident ?? '',
  useMore: () => useReportLayout(({ layout }) => layout),
  query: async ({ client, focus, signal }) =>
    client.call('report.document', await reportRequest(client, focus.incident), signal),
  draw: (answer) => <Report {...answer} />,
});
