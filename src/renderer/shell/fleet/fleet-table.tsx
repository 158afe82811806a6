import { visibleLine } from '../../../base/visible-text.ts';
import type { FleetImpactView } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatDuration } from '../../draw/text/format-time.ts';
import { formatCount, formatNumber, formatValue } from '../../draw/text/format-value.ts';
import { chooseImpact, useFleet } from '../../state/fleet-draft.ts';
import { messages } from '../messages/fleet.ts';
import { utcText } from './utc-text.ts';

const MOST_SHOWN = 200;

/** The same as the heat map in words, to choose from. */
export function FleetTable({ impacts }: { readonly impacts: readonly FleetImpactView[] }) {
  const { table } = messages;
  const chosen = useFleet((state) => state.choice?.impact);
  return (
    <section className="fleet-table" aria-label={table.title}>
      <h3>{table.title}</h3>
      {impacts.length === 0 ? <p className="muted">{table.none}</p> : null}
      {impacts.length === 0 ? null : (
        <table>
          <thead>
            <tr>
              <th>{table.service}</th>
              <th className="number">{table.times}</th>
              <th>{table.from}</th>
              <th>{table.lasted}</th>
              <th>{table.p99}</th>
              <th>{table.errors}</th>
              <th>{table.rate}</th>
            </tr>
          </thead>
          <tbody>
            {impacts.slice(0, MOST_SHOWN).map((impact) => (
              <ImpactRow key={`${impact.service} ${impact.start_ns}`} row={impact} isChosen={impact === chosen} />
            ))}
          </tbody>
        </table>
      )}
      {impacts.length > MOST_SHOWN ? (
        <p className="muted">{table.more(formatCount(impacts.length - MOST_SHOWN))}</p>
      ) : null}
    </section>
  );
}

function ImpactRow({ row, isChosen }: { readonly row: FleetImpactView; readonly isChosen: boolean }) {
  const { service, start_ns, end_ns, times_worse, impact } = row;
  return (
    <tr aria-current={isChosen ? 'true' : undefined}>
      <td>
        <button type="button" className="plain" data-testid="fleet-impact" onClick={() => chooseImpact(row)}>
          {visibleLine(service)}
        </button>
      </td>
      <td className="number">{formatNumber(times_worse)}</td>
      <td className="number">{utcText(nanos(start_ns))}</td>
      <td className="number">{formatDuration(Number(end_ns - start_ns))}</td>
      <td className="number">{change(impact.p99_baseline_ms, impact.p99_peak_ms, 'ms')}</td>
      <td className="number">{change(impact.error_rate_baseline_percent, impact.error_rate_peak_percent, '%')}</td>
      <td className="number">{change(impact.throughput_baseline_rps, impact.throughput_peak_rps, '')}</td>
    </tr>
  );
}

function change(before: number | null, worst: number | null, unit: string): string {
  if (before === null && worst === null) return '';
  const text = (value: number | null): string =>
    value === null ? messages.table.unknown : unit === '' ? formatNumber(value) : formatValue(value, unit);
  return messages.table.change(text(before), text(worst));
}
