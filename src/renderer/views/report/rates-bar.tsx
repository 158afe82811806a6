import type { RatesInUse } from '../../../model/contract/index.ts';
import { useCase } from '../../state/case-state.ts';
import { currentRates, openRatesChooser, removeRates, useRates } from '../../state/rates.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';

/** Which prices the costs of the report rest on, and how to change them. */
export function RatesBar() {
  const { edition, refused } = useRates();
  const revision = useCase((state) => state.revision);
  const { value: rates, problem, retry } = useAnswer(`${revision} ${edition}`, currentRates);
  if (rates === undefined && !problem) return null;
  return (
    <section className="rates-bar" aria-label="Prices of GPUs" data-testid="rates">
      <span className="muted">GPU prices:</span>
      {rates ? <InUse rates={rates} /> : <span>none, so costs are unknown</span>}
      <button
        type="button"
        onClick={openRatesChooser}
        title="A file as docs/rates.example.yaml; or drop it on the window"
      >
        {rates ? 'Replace…' : 'Choose a catalog…'}
      </button>
      {rates ? (
        <button type="button" className="plain" onClick={() => void removeRates(rates.name)}>
          Remove
        </button>
      ) : null}
      {problem ? <ProblemNote problem={problem} what="The prices" onRetry={retry} /> : null}
      {refused ? <ProblemNote problem={refused.problem} what={refused.name} /> : null}
    </section>
  );
}

function InUse({ rates }: { readonly rates: RatesInUse }) {
  const { name, currency, lines } = rates;
  return (
    <>
      <b className="ellipsis">{name}</b>
      <span>
        {lines} {lines === 1 ? 'line' : 'lines'} in {currency}, {dateText(rates)}
      </span>
      {rates.is_upper ? (
        <span className="caution" title="Some are list prices: what was paid is at most that">
          upper bound
        </span>
      ) : null}
    </>
  );
}

const dateText = ({ oldest, newest }: RatesInUse): string =>
  oldest === '' ? 'undated' : oldest === newest ? `as of ${oldest}` : `as of ${oldest} to ${newest}`;
