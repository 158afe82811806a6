import { useId, useState } from 'react';
import type { AnnotationOf } from '../../../model/incident/annotation.ts';
import { actionPriorities, actionsOf, headingOf, incidentSeverities } from '../../../model/incident/follow-up.ts';
import type { ReportSection } from '../../../model/incident/report-document.ts';
import { annotate, freshAnnotation } from '../../state/annotations.ts';
import { annotationList, useAnnotationList } from '../../state/known.ts';
import { RecordLinks } from '../../widgets/record-links.tsx';
import { messages } from './messages.ts';

const texts = messages.followUp;

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly type?: 'text' | 'date';
  readonly className?: string;
  readonly options?: readonly string[];
  readonly onSave: (value: string) => void;
}

/** A field that is saved when it is left, or by Enter; Escape restores it. */
function Field({ label, value, placeholder, type = 'text', className = '', options, onSave }: FieldProps) {
  const list = useId();
  const save = (input: HTMLInputElement): void => {
    if (input.value.trim() !== value) onSave(input.value.trim());
  };
  return (
    <>
      <input
        key={value}
        type={type}
        className={className}
        aria-label={label}
        placeholder={placeholder ?? label}
        defaultValue={value}
        title={value}
        maxLength={2000}
        {...(options ? { list } : {})}
        onBlur={(event) => save(event.currentTarget)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
          if (event.key !== 'Escape') return;
          event.currentTarget.value = value;
          event.stopPropagation();
        }}
      />
      {options ? (
        <datalist id={list}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      ) : null}
    </>
  );
}

/** Title, severity, owner and public name of an incident: its report states them. */
export function HeadingForm({ incident }: { readonly incident: string }) {
  const own = headingOf(useAnnotationList(), incident);
  const put = (change: Partial<AnnotationOf<'heading'>>): Promise<boolean> =>
    annotate(texts.changed, () => {
      const blank = { kind: 'heading' as const, incident, severity: '', owner: '', public_name: '' };
      const base = headingOf(annotationList(), incident) ?? { ...freshAnnotation(''), ...blank };
      return { put: [{ ...base, ...change }] };
    });
  return (
    <fieldset className="follow-up" aria-label={texts.heading}>
      <Field
        label={texts.title}
        placeholder={texts.titlePlaceholder}
        className="wide"
        value={own?.text ?? ''}
        onSave={(text) => void put({ text })}
      />
      <Field
        label={texts.severity}
        value={own?.severity ?? ''}
        options={incidentSeverities}
        onSave={(severity) => void put({ severity })}
      />
      <Field label={texts.owner} value={own?.owner ?? ''} onSave={(owner) => void put({ owner })} />
      <Field
        label={texts.publicName}
        value={own?.public_name ?? ''}
        onSave={(public_name) => void put({ public_name })}
      />
    </fieldset>
  );
}

/** Proposed actions of a section, as the report lists them, with their evidence. */
const proposalsOf = ({ blocks }: ReportSection) =>
  blocks.flatMap((block) =>
    block.kind === 'table'
      ? block.rows.flatMap(({ cells: [text = ''], refs: [first, ...others] }) =>
          first === undefined || first.startsWith('annotation:') ? [] : [{ text, refs: [first, ...others] as const }],
        )
      : [],
  );

/** The action items of an incident, to add, accept, change and remove. */
export function ActionItems({ section, incident }: { readonly section: ReportSection; readonly incident: string }) {
  const actions = actionsOf(useAnnotationList(), incident);
  const [text, setText] = useState('');
  const known = new Set(actions.map((one) => one.text));
  const proposed = proposalsOf(section).filter((one) => !known.has(one.text));
  const add = (added: string): void => {
    if (added.trim() === '') return;
    const blank = { owner: '', priority: '', due: '', ticket: '', done: false } as const;
    const item = { ...freshAnnotation(added.trim()), kind: 'action' as const, incident, ...blank };
    void annotate(texts.added, { put: [item] });
  };
  return (
    <div className="action-items" data-testid="action-items">
      {actions.map((action) => (
        <ActionRow key={action.id} action={action} />
      ))}
      <form
        className="follow-up"
        onSubmit={(event) => {
          event.preventDefault();
          add(text);
          setText('');
        }}
      >
        <input
          className="wide"
          aria-label={texts.newAction}
          placeholder={texts.newAction}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" disabled={text.trim() === ''}>
          {texts.add}
        </button>
      </form>
      {proposed.length > 0 ? <h4>{texts.proposed}</h4> : null}
      {proposed.map(({ text: one, refs }) => (
        <div key={one} className="follow-up">
          <span className="wide">
            <RecordLinks text={one} refs={refs} />
          </span>
          <button type="button" aria-label={texts.acceptOf(one)} onClick={() => add(one)}>
            {texts.accept}
          </button>
        </div>
      ))}
    </div>
  );
}

function ActionRow({ action }: { readonly action: AnnotationOf<'action'> }) {
  const put = (change: Partial<AnnotationOf<'action'>>): Promise<boolean> =>
    annotate(texts.changedAction, () => {
      const now = actionsOf(annotationList(), action.incident).find(({ id }) => id === action.id) ?? action;
      return { put: [{ ...now, ...change }] };
    });
  return (
    <fieldset className="follow-up" aria-label={action.text}>
      <input
        type="checkbox"
        aria-label={texts.done}
        title={texts.done}
        checked={action.done}
        onChange={({ target }) => void put({ done: target.checked })}
      />
      <Field label={texts.action} className="wide" value={action.text} onSave={(text) => void put({ text })} />
      <Field label={texts.owner} value={action.owner} onSave={(owner) => void put({ owner })} />
      <Field
        label={texts.priority}
        value={action.priority}
        options={actionPriorities}
        className="short"
        onSave={(priority) => void put({ priority })}
      />
      <Field label={texts.due} type="date" value={action.due} onSave={(due) => void put({ due })} />
      <Field label={texts.ticket} className="short" value={action.ticket} onSave={(ticket) => void put({ ticket })} />
      <button
        type="button"
        className="plain"
        aria-label={texts.removeOf(action.text)}
        title={texts.remove}
        onClick={() => void annotate(texts.removed, { remove: [action.id] })}
      >
        ×
      </button>
    </fieldset>
  );
}
