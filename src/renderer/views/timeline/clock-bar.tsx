import { useState } from 'react';
import { clockText } from '../../draw/text/format-clock.ts';
import { dropClock, type SourceClock, saveClock, setDraftUncertainty } from '../../state/source-clocks.ts';
import { useSourceClocks } from './lane-clocks.ts';
import { messages } from './messages.ts';

/** The draft of a clock offset: offset, uncertainty and the save button. */
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
      aria-label={messages.clock.label(name)}
      onSubmit={(event) => {
        event.preventDefault();
        if (isLength) saveClock();
      }}
    >
      <span aria-live="polite">
        {messages.clock.of} <b>{name}</b>:{' '}
        <b className="number">{clockText({ clock_offset_ns: offsetNs, clock_uncertainty_ns: 0n })}</b>{' '}
        {messages.clock.added}
      </span>
      <label>
        ±{' '}
        <input
          className="number"
          aria-label={messages.clock.uncertainty}
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
        {messages.clock.seconds}
      </label>
      <button type="submit" disabled={!isLength} title="Enter">
        {messages.clock.save}
      </button>
      <button type="button" className="plain" title="Esc" onClick={dropClock}>
        {messages.clock.discard}
      </button>
    </form>
  );
}
