import { useState } from 'react';
import { chartable } from '../../draw/tables/chart-model.ts';
import { isInstant } from '../../draw/tables/table-cells.ts';
import { showView } from '../../state/case-state.ts';
import { annotationList } from '../../state/known.ts';
import { pinQuery, savedQueries, saveQuery, useSql, useSqlAnswer } from '../../state/sql.ts';
import { messages } from './messages.ts';

/** Saves a query with a name and, for a lane, with the columns to draw. */
export function SaveForm({ onDone }: { readonly onDone: () => void }) {
  const saved = useSql((state) => state.saved);
  const table = useSqlAnswer().value?.table ?? null;
  const known = savedQueries(annotationList()).find(({ id }) => id === saved);
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
      aria-label={messages.save.label}
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') void save();
      }}
    >
      <label>
        {messages.save.name}{' '}
        <input
          // biome-ignore lint/a11y/noAutofocus: the investigator opened the form to type here
          autoFocus
          value={name}
          maxLength={200}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <label title={times.length === 0 ? messages.save.runFirst : undefined}>
        <input
          type="checkbox"
          checked={isLane && times.length > 0}
          disabled={times.length === 0}
          onChange={(event) => setLane(event.target.checked)}
        />{' '}
        {messages.save.asLane}
      </label>
      {isLane && times.length > 0 ? (
        <LaneChoice {...{ times, values, time, setTime, value, setValue, unit, setUnit }} />
      ) : null}
      <button type="submit" disabled={name.trim() === ''} title={messages.save.submitTitle}>
        {messages.save.submit}
      </button>
      <button type="button" className="plain" title={messages.save.cancelTitle} onClick={onDone}>
        {messages.save.cancel}
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
        {messages.save.time}{' '}
        <select value={time} onChange={(event) => setTime(event.target.value)}>
          {times.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        {messages.save.value}{' '}
        <select value={value} onChange={(event) => setValue(event.target.value)}>
          <option value="">{messages.save.rowsPerSecond}</option>
          {values.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {value === '' ? null : (
        <label>
          {messages.save.unit}{' '}
          <input className="sql-unit" value={unit} maxLength={40} onChange={(event) => setUnit(event.target.value)} />
        </label>
      )}
    </>
  );
}
