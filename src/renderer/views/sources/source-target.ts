import type { SourceInfo } from '../../../model/contract/index.ts';
import type { ActionTarget } from '../../state/action-menu.ts';
import { recordTarget } from '../../state/actions.ts';
import { supposeClock } from './clock-table.tsx';
import { messages } from './messages.ts';

/** Actions of a data source: those of a record, and a what-if with its clock. */
export function sourceTarget({ source_id, name, rows }: SourceInfo): ActionTarget {
  const { actions } = recordTarget(name, [`source:${source_id}`]);
  const sourceActions = actions.filter(({ id }) => ['details', 'json', 'markdown', 'id'].includes(id));
  return {
    label: name,
    actions: [
      ...sourceActions,
      {
        id: 'clock',
        title: messages.clocks.whatIfAction,
        keys: 'K',
        disabled: (rows.event ?? 0) === 0,
        run: () => supposeClock(source_id),
      },
    ],
  };
}
