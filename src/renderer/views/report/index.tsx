import { useAnnotations } from '../../state/annotations.ts';
import { defineView } from '../../widgets/view.tsx';
import { ReportPreview } from './report-preview.tsx';

export const reportView = defineView({
  id: 'report',
  title: 'Report',
  key: ({ incident }) => incident ?? '',
  useMore: () => String(useAnnotations((state) => state.edition)),
  query: ({ client, focus, signal }) =>
    client.call('report.render', { format: 'markdown', incident: focus.incident }, signal),
  draw: (answer) => <ReportPreview name={answer.name} text={answer.text} />,
});
