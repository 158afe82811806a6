import type { Output } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import type { Sheet, SheetCell } from './sheet.ts';

const instant = (time_ns: bigint | null | undefined): SheetCell =>
  time_ns === null || time_ns === undefined ? null : { instant: nanos(time_ns) };

/** Recent cases, one row each, with the strongest incident; unknown values are empty. */
export const recentSheet = (recent: Output<'case.recent'>): Sheet => ({
  names: [
    ...['case', 'opened', 'is bundle', 'first', 'last', 'incidents'],
    ...['service', 'cause', 'on', 'probability', 'layers', 'not recorded', 'sources', 'rejects'],
  ],
  rows: recent.map(({ name, opened_at_ns, bundle, summary }): SheetCell[] => {
    const worst = summary?.verdicts[0];
    return [
      ...[name, instant(opened_at_ns), Boolean(bundle), instant(summary?.first_ns), instant(summary?.last_ns)],
      summary?.incident_count ?? null,
      ...[worst?.service ?? null, worst?.type ?? null, worst?.subject ?? null, worst?.probability ?? null],
      ...[summary?.layers_present.join(', ') ?? null, summary?.layers_missing.join(', ') ?? null],
      ...[summary?.source_count ?? null, summary?.rejects ?? null],
    ];
  }),
});
