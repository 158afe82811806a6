import { useIncidentsAnswer } from '../../state/conclusions.ts';
import { defineView } from '../../widgets/view.tsx';
import { Causes } from './causes.tsx';
import { messages } from './messages.ts';

export const causesView = defineView({
  id: 'causes',
  title: messages.title,
  loading: messages.overview.loading,
  useShared: useIncidentsAnswer,
  draw: (incidents, wide) => <Causes incidents={incidents} wide={wide} />,
});
