import { useState } from 'react';
import { chartable } from '../../draw/tables/chart-model.ts';
import { isInstant } from '../../draw/tables/table-cells.ts';
import { useAnnotations } from '../../state/annotations.ts';
import { showView } from '../../state/case-state.ts';
import { pinQuery, savedQueries, saveQuery, useSql } from '../../state/sql.ts';

/** Saving a query: its name and, where it is to be a lane, which of its columns are drawn. */
export function SaveForm({ onDone }: { readonly onDone: () => void }) {
  const saved = useSql((state) => state.saved);
  const table = useSql((state) => state.answer?.table ?? null);
  const known = savedQueries(useAnnotations.getState().list).find(({ id }) => id === saved);
  const [name, setName] = useState(known?.text ?? '');
  const [isLane, setLane] = useState(known !== undefined && known.lane !== null);
  const times = table ? table.columns.filter(isInstant).map((column) => column.name) : [];
  const values = table ? chartable(table).heights.map((at) => table.columns[at]?.name ?? '') : [];
  const [time, setTime] = useState(known?.lane?.time ?? '');
  const [value, setValue] = useState(known?.lane?.value ?? values[0] ?? '');
  const [unit, setUnit] = useState(known?.lane?.unit ?? '');
  const save = async () => {
    const query = await saveQuery(name.trim());
    if (!query) return;
    const at = times.includes(time) ? time : times[0];
    if (isLane && at !== undefined) {
      await pinQuery(query, { time: at, value: value === '' ? null : value, unit: unit.trim() });
      showView('timeline');
    } else if (!isLane && query.lane !== null) await pinQuery(query, null);
    onDone();
  };
  return (
    <form
      className="sql-save"
      aria-label="Save the query"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') void save();
      }}
    >
      <label>
        name{' '}
        <input
          // biome-ignore lint/a11y/noAutofocus: the form was asked for, and begins here
          autoFocus
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <label title={times.length === 0 ? 'Run it first: a lane needs a column of times' : undefined}>
        <input
          type="checkbox"
          checked={isLane && times.length > 0}
          disabled={times.length === 0}
          onChange={(event) => setLane(event.target.checked)}
        />{' '}
        as a lane of the timeline
      </label>
      {isLane && times.length > 0 ? (
        <LaneChoice {...{ times, values, time, setTime, value, setValue, unit, setUnit }} />
      ) : null}
      <button type="submit" disabled={name.trim() === ''} title="Enter">
        Save
      </button>
      <button type="button" className="plain" title="Esc" onClick={onDone}>
        Cancel
      </button>
    </form>
  );
}

interface LaneChoiceProps {
  readonly times: readonly string[];
  readonly values: readonly string[];
  readonly time: string;
  readonly setTime: (time: string) => void;
  readonly value: string;
  readonly setValue: (value: string) => void;
  readonly unit: string;
  readonly setUnit: (unit: string) => void;
}

function LaneChoice({ times, values, time, setTime, value, setValue, unit, setUnit }: LaneChoiceProps) {
  return (
    <>
      <label>
        time{' '}
        <select value={time} onChange={(event) => setTime(event.target.value)}>
          {times.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        value{' '}
        <select value={value} onChange={(event) => setValue(event.target.value)}>
          <option value="">rows a second</option>
          {values.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {value === '' ? null : (
        <label>
          unit{' '}
          <input className="sql-unit" value={unit} maxLength={40} onChange={(event) => setUnit(event.target.value)} />
        </label>
      )}
    </>
  );
}
