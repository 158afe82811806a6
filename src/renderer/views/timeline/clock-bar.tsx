import { useState } from 'react';
import { clockText } from '../../draw/text/format-clock.ts';
import { dropClock, type SourceClock, saveClock, setDraftUncertainty } from '../../state/source-clocks.ts';
import { useSourceClocks } from './lane-clocks.ts';

/** A clock that is being set: what it would be, how sure that is, and the word that keeps it. */
export function ClockBar() {
  const clock = [...useSourceClocks().values()].find(({ how }) => how === 'being set');
  return clock ? <Setting key={clock.source} clock={clock} /> : null;
}

function Setting({ clock }: { readonly clock: SourceClock }) {
  const { name, offsetNs, uncertaintyNs } = clock;
  const [text, setText] = useState(String(Number((Number(uncertaintyNs) / 1e9).toPrecision(2))));
  const seconds = Number(text);
  const isLength = text.trim() !== '' && Number.isFinite(seconds) && seconds >= 0 && seconds < 31_622_400;
  return (
    <form
      className="clock-bar"
      aria-label={`Clock of ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (isLength) saveClock();
      }}
    >
      <span aria-live="polite">
        clock of <b>{name}</b>:{' '}
        <b className="number">{clockText({ clock_offset_ns: offsetNs, clock_uncertainty_ns: 0n })}</b> to be added to
        its recorded times
      </span>
      <label>
        ±{' '}
        <input
          className="number"
          aria-label="give or take, in seconds"
          aria-invalid={!isLength}
          inputMode="decimal"
          value={text}
          onChange={(event) => {
            const next = event.target.value;
            setText(next);
            const enteredSeconds = Number(next);
            if (next.trim() !== '' && Number.isFinite(enteredSeconds) && enteredSeconds >= 0)
              setDraftUncertainty(BigInt(Math.round(Math.min(enteredSeconds, 31_622_400) * 1e9)));
          }}
        />{' '}
        s
      </label>
      <button type="submit" disabled={!isLength} title="Enter">
        Keep and rank anew
      </button>
      <button type="button" className="plain" title="Esc" onClick={dropClock}>
        Drop
      </button>
    </form>
  );
}
