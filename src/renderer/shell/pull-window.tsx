import { useId } from 'react';
import { type ArchiveDraft, editPull, useArchive } from '../state/archive-draft.ts';
import { useCase } from '../state/case-state.ts';
import { messages } from './messages/archive.ts';

/** Which records: window, services, condition. */
export function PullWindow() {
  return (
    <>
      <h3>{messages.wanted}</h3>
      <Field name="from" label={messages.from} type="datetime-local" />
      <Field name="until" label={messages.until} type="datetime-local" />
      <Field name="services" label={messages.services} type="text" about={messages.servicesAbout} />
      <Field name="where" label={messages.where} type="text" about={messages.whereAbout} />
    </>
  );
}

interface FieldProps {
  readonly name: 'from' | 'until' | 'services' | 'where';
  readonly label: string;
  readonly type: 'datetime-local' | 'text';
  readonly about?: string;
}

function Field({ name, label, type, about }: FieldProps) {
  const id = useId();
  const value = useArchive((state: ArchiveDraft) => state[name]);
  return (
    <div className="connect-field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        {...(type === 'datetime-local' && { step: 1 })}
        spellCheck={false}
        autoComplete="off"
        aria-describedby={about === undefined ? undefined : `${id}-about`}
        value={value}
        onChange={(event) => editPull({ [name]: event.target.value })}
      />
      {about === undefined ? null : (
        <p id={`${id}-about`} className="muted">
          {about}
        </p>
      )}
    </div>
  );
}

/** Which case the records go to. */
export function PullDestination() {
  const name = useCase((state) => state.name);
  const newCase = useArchive((state) => state.newCase);
  if (name === null) return <span className="muted">{messages.intoNew}</span>;
  return (
    <label>
      {messages.into}{' '}
      <select
        value={newCase ? 'new' : 'open'}
        onChange={(event) => editPull({ newCase: event.target.value === 'new' })}
      >
        <option value="open">{name}</option>
        <option value="new">{messages.newCase}</option>
      </select>
    </label>
  );
}
