import { useState } from 'react';
import { laneRanges, openRange, type RangedLane, rangeOf, setRange, useRangedLane } from '../../state/lane-ranges.ts';
import { messages } from './messages.ts';

/** Sets the y-axis of a lane, or of all lanes of its metric so that they compare. */
export function RangeBar() {
  const lane = useRangedLane((state) => state.lane);
  return lane ? <Setting key={lane.id} lane={lane} /> : null;
}

const texts = messages.range;

function Setting({ lane }: { readonly lane: RangedLane }) {
  const { id, name, unit, shown, alike } = lane;
  const [low, setLow] = useState(String(Number(shown[0].toPrecision(4))));
  const [high, setHigh] = useState(String(Number(shown[1].toPrecision(4))));
  const [isForAll, setIsForAll] = useState(false);
  const range = rangeOf(low, high);
  const lanes = isForAll ? alike : [id];
  const end = (chosen: typeof range): void => {
    setRange(lanes, chosen);
    openRange(null);
  };
  return (
    <form
      className="clock-bar"
      aria-label={texts.label(name)}
      onSubmit={(event) => {
        event.preventDefault();
        if (range) end(range);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        openRange(null);
      }}
    >
      <span>
        {texts.of} <b>{name}</b>
      </span>
      <input
        className="number"
        // biome-ignore lint/a11y/noAutofocus: it was asked for by a key or a menu.
        autoFocus
        aria-label={texts.low}
        aria-invalid={range === null}
        inputMode="decimal"
        value={low}
        onChange={({ target }) => setLow(target.value)}
      />
      <span>{texts.to}</span>
      <input
        className="number"
        aria-label={texts.high}
        aria-invalid={range === null}
        inputMode="decimal"
        value={high}
        onChange={({ target }) => setHigh(target.value)}
      />
      <span>{unit}</span>
      {alike.length > 1 ? (
        <label>
          <input type="checkbox" checked={isForAll} onChange={({ target }) => setIsForAll(target.checked)} />{' '}
          {texts.alike(alike.length)}
        </label>
      ) : null}
      <button type="submit" disabled={range === null} title="Enter">
        {texts.apply}
      </button>
      {laneRanges()[id] ? (
        <button type="button" onClick={() => end(null)}>
          {texts.automatic}
        </button>
      ) : null}
      <button type="button" className="plain" title="Esc" onClick={() => openRange(null)}>
        {texts.cancel}
      </button>
    </form>
  );
}
