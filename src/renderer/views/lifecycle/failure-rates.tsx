import type { PartGroup } from '../../../model/contract/index.ts';
import { formatCount, formatHours } from '../../draw/text/format-value.ts';
import { messages } from './messages.ts';

/** Kinds of which no failure was recorded are one line. */
const MOST_CALM = 3;

/** How often parts of a kind failed within the hours that were recorded; the interval is wide where failures are few. */
export function FailureRates({ groups }: { readonly groups: readonly PartGroup[] }) {
  const failed = groups.filter(({ faults }) => faults > 0);
  const shown = [...failed, ...groups.filter(({ faults }) => faults === 0).slice(0, MOST_CALM)];
  if (shown.length === 0) return null;
  return (
    <section className="failure-rates" aria-label={messages.rates.label}>
      <ul>
        {shown.map((group) => (
          <li key={`${group.kind} ${group.model}`} title={messages.rates.how}>
            <b>{messages.rates.name(group.kind, group.model)}</b> {rateText(group)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function rateText({ parts, hours, faults, mean_hours, low_hours, high_hours }: PartGroup): string {
  const counted = messages.rates.counted(formatCount(faults), formatHours(hours), formatCount(parts));
  const [mean, low, high] = [mean_hours, low_hours, high_hours].map((one) => (one === null ? null : formatHours(one)));
  if (low == null) return counted;
  if (mean == null || high == null) return `${counted} ${messages.rates.atLeast(low)}`;
  return `${counted} ${messages.rates.mean(mean, low, high)}`;
}
