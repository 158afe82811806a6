import type { RatesInUse } from '../../../model/contract/index.ts';
import { openRatesChooser, removeRates, useRates } from '../../state/rates.ts';
import { useCall } from '../../state/use-answer.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { messages } from './messages.ts';

/** The prices behind the costs of the report, and how to change them. */
export function RatesBar() {
  const refused = useRates((state) => state.refused);
  const { value: rates, problem, retry } = useCall('rates.get', {});
  if (rates === undefined && !problem) return null;
  return (
    <section className="rates-bar" aria-label={messages.rates.label} data-testid="rates">
      <span className="muted">{messages.rates.title}</span>
      {rates ? <InUse rates={rates} /> : <span>{messages.rates.none}</span>}
      <button type="button" onClick={openRatesChooser} title={messages.rates.hint}>
        {rates ? messages.rates.replace : messages.rates.choose}
      </button>
      {rates ? (
        <button type="button" className="plain" onClick={() => void removeRates(rates.name)}>
          {messages.rates.remove}
        </button>
      ) : null}
      {problem ? <ProblemNote problem={problem} what={messages.rates.what} onRetry={retry} /> : null}
      {refused ? <ProblemNote problem={refused.problem} what={refused.name} /> : null}
    </section>
  );
}

function InUse({ rates }: { readonly rates: RatesInUse }) {
  const { name, currency, lines } = rates;
  return (
    <>
      <b className="ellipsis">{name}</b>
      <span>{messages.rates.inUse(lines, currency, dateText(rates))}</span>
      {rates.is_upper ? (
        <span className="caution" title={messages.rates.upperTitle}>
          {messages.rates.upper}
        </span>
      ) : null}
    </>
  );
}

const dateText = ({ oldest, newest }: RatesInUse): string =>
  oldest === ''
    ? messages.rates.undated
    : oldest === newest
      ? messages.rates.asOf(oldest)
      : messages.rates.between(oldest, newest);
