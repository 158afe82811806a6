import { type KeyboardEvent, useId } from 'react';
import { useArchive } from '../../state/archive-draft.ts';
import { askFleet, chooseDay, editFleet, stopFleet, useFleet } from '../../state/fleet-draft.ts';
import { messages } from '../messages/fleet.ts';

/** The time and the services that the archive is asked about. */
export function FleetQuestion() {
  const { from, until, services, where, running } = useFleet();
  const { text, problems } = useArchive();
  const mayAsk = text !== '' && problems.length === 0;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || !(event.target instanceof HTMLInputElement)) return;
    if (mayAsk) void askFleet();
  };
  const day = from.endsWith('T00:00:00') ? from.slice(0, 10) : '';
  return (
    <fieldset className="fleet-question" onKeyDown={onKeyDown}>
      <Field label={messages.day} type="date" value={day} onSet={chooseDay} />
      <Field label={messages.from} type="datetime-local" value={from} onSet={(value) => editFleet({ from: value })} />
      <Field
        label={messages.until}
        type="datetime-local"
        value={until}
        onSet={(value) => editFleet({ until: value })}
      />
      <Field
        label={messages.services}
        type="text"
        value={services}
        placeholder={messages.servicesPlaceholder}
        onSet={(value) => editFleet({ services: value })}
      />
      <Field
        label={messages.where}
        type="text"
        value={where}
        placeholder={messages.wherePlaceholder}
        onSet={(value) => editFleet({ where: value })}
      />
      {running ? (
        <button type="button" onClick={stopFleet}>
          {messages.cancel}
        </button>
      ) : (
        <button type="button" className="primary" disabled={!mayAsk} onClick={() => void askFleet()}>
          {messages.ask}
        </button>
      )}
    </fieldset>
  );
}

interface FieldProps {
  readonly label: string;
  readonly type: 'date' | 'datetime-local' | 'text';
  readonly value: string;
  readonly placeholder?: string;
  onSet(value: string): void;
}

function Field({ label, type, value, placeholder, onSet }: FieldProps) {
  const id = useId();
  return (
    <div className="fleet-field">
      <label htmlFor={id} className="muted">
        {label}
      </label>
      <input
        id={id}
        type={type}
        {...(type === 'datetime-local' && { step: 1 })}
        spellCheck={false}
        autoComplete="off"
        placeholder={placeholder}
        value={value}
        onChange={(event) => onSet(event.target.value)}
      />
    </div>
  );
}
