import { type ReactNode, useId, useState } from 'react';
import type { FeedKindView } from '../../model/contract/index.ts';
import type { PlannedFeed } from '../../model/storage/feed.ts';
import { describeProblem } from '../client/problem-of.ts';
import { readableType } from '../draw/text/format-value.ts';
import { hasOwnDialog } from '../state/import-flow.ts';
import { useApp } from '../state/known.ts';
import { fieldOf, saveSecret, watchFolder } from '../state/plan-draft.ts';
import { messages } from './messages/live.ts';

type Field = FeedKindView['fields'][number];

export interface PlanFieldsProps {
  readonly fields: readonly Field[];
  /** Of the plan, by name. */
  readonly values: PlannedFeed;
  readonly problems: readonly { readonly path: string; readonly message: string }[];
  /** undefined: the field is removed, and its default applies. */
  onSet(path: string, value: unknown): void;
}

/** The fields of a plan, from the schema of its kind. */
export function PlanFields({ fields, values, problems, onSet }: PlanFieldsProps) {
  return groupsOf(fields).map(([group, members]) => (
    <FieldGroup key={group} group={group}>
      {members.map((field) => (
        <FieldRow
          key={field.path}
          field={field}
          value={fieldOf(values, field.path)}
          wrong={problems.filter(({ path }) => path === field.path).map(({ message }) => message)}
          set={(value) => onSet(field.path, value)}
        />
      ))}
    </FieldGroup>
  ));
}

const groupsOf = (fields: readonly Field[]): readonly (readonly [string, readonly Field[]])[] => [
  ...Map.groupBy(fields, ({ group }) => group),
];

function FieldGroup({ group, children }: { readonly group: string; readonly children: ReactNode }) {
  if (group === '') return children;
  return (
    <fieldset>
      <legend>{readableType(group)}</legend>
      {children}
    </fieldset>
  );
}

interface FieldProps {
  readonly field: Field;
  readonly value: unknown;
  readonly wrong: readonly string[];
  set(value: unknown): void;
}

function FieldRow({ field, value, wrong: found, set }: FieldProps) {
  const id = useId();
  const [isLeft, setLeft] = useState(false);
  // What is still to be filled in is no mistake yet.
  const isEmpty = value === undefined || value === '';
  const wrong = !isEmpty ? found : isLeft && found.length > 0 ? [messages.plan.required] : [];
  const described = `${id}-about${wrong.length > 0 ? ` ${id}-wrong` : ''}`;
  const control = {
    id,
    'aria-describedby': described,
    'aria-invalid': wrong.length > 0,
    'aria-required': !field.isOptional,
    onBlur: () => setLeft(true),
  };
  return (
    <div className="connect-field">
      <label htmlFor={id}>
        {nameOf(field)}
        {field.isOptional ? null : <span aria-hidden="true"> *</span>}
      </label>
      <Control field={field} value={value} set={set} control={control} />
      <p id={`${id}-about`} className="muted">
        {field.about}
      </p>
      {wrong.length > 0 ? (
        <p id={`${id}-wrong`} className="connect-wrong">
          ▲ {wrong.join('; ')}
        </p>
      ) : null}
    </div>
  );
}

/** A field such as `every_s` shows its unit. */
function nameOf({ path }: Field): string {
  const last = path.split('.').at(-1) ?? path;
  return last.endsWith('_per_s')
    ? messages.plan.perSecond(readableType(last.slice(0, -6)))
    : last.endsWith('_s')
      ? messages.plan.seconds(readableType(last.slice(0, -2)))
      : readableType(last);
}

interface ControlProps {
  readonly field: Field;
  readonly value: unknown;
  set(value: unknown): void;
  readonly control: Readonly<Record<string, string | boolean | (() => void)>>;
}

function Control({ field, value, set, control }: ControlProps) {
  switch (field.type) {
    case 'choice':
    case 'yes-no':
      return <Choice field={field} value={value} set={set} control={control} />;
    case 'folder':
      return <Folder field={field} value={value} set={set} control={control} />;
    case 'secret':
      return <Secret field={field} value={value} set={set} control={control} />;
    case 'yaml':
      return (
        <input
          {...control}
          readOnly
          value={value === undefined ? '' : JSON.stringify(value)}
          placeholder={messages.plan.inPlan}
        />
      );
    default:
      return (
        <input
          {...control}
          type="text"
          inputMode={field.type === 'number' ? 'decimal' : 'text'}
          spellCheck={false}
          autoComplete="off"
          value={valueText(value)}
          placeholder={field.fallback}
          onChange={(event) => set(typedValue(field, event.target.value))}
        />
      );
  }
}

function Choice({ field, value, set, control }: ControlProps) {
  const words = field.type === 'yes-no' ? ['true', 'false'] : field.choices;
  const labelOf = (word: string) =>
    field.type === 'yes-no' ? (word === 'true' ? messages.plan.yes : messages.plan.no) : word;
  return (
    <select
      {...control}
      value={valueText(value)}
      onChange={({ target: { value: word } }) =>
        set(word === '' ? undefined : field.type === 'yes-no' ? word === 'true' : word)
      }
    >
      <option value="">
        {field.fallback === '' ? messages.plan.notSet : messages.plan.default(labelOf(field.fallback))}
      </option>
      {words.map((word) => (
        <option key={word} value={word}>
          {labelOf(word)}
        </option>
      ))}
    </select>
  );
}

/** One of the folders that the investigator chose outside of the page. */
function Folder({ field, value, set, control }: ControlProps) {
  const [problem, setProblem] = useState('');
  const hasDialog = hasOwnDialog(useApp());
  const choices =
    typeof value === 'string' && !field.choices.includes(value) ? [...field.choices, value] : field.choices;
  const choose = async () => {
    const { folder, problem: failed } = await watchFolder();
    setProblem(failed ? describeProblem(failed) : '');
    if (folder !== null) set(folder);
  };
  return (
    <div className="connect-secret">
      <select
        {...control}
        value={valueText(value)}
        onChange={({ target }) => set(target.value === '' ? undefined : target.value)}
      >
        <option value="">{field.fallback === '' ? messages.plan.notSet : messages.plan.default(field.fallback)}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice.replace(/^watch:/, '')}
          </option>
        ))}
      </select>
      {hasDialog ? (
        <button type="button" onClick={() => void choose()}>
          {messages.plan.chooseFolder}
        </button>
      ) : field.choices.length === 0 ? (
        <span className="muted">{messages.plan.noFolder}</span>
      ) : null}
      {problem === '' ? null : (
        <p className="connect-wrong" role="alert">
          ▲ {problem}
        </p>
      )}
    </div>
  );
}

/** Location of a secret, with a form to store one. The secret leaves the page as soon as it is stored. */
function Secret({ field, value, set, control }: ControlProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="connect-secret">
      <input
        {...control}
        type="text"
        spellCheck={false}
        autoComplete="off"
        value={valueText(value)}
        placeholder={messages.plan.secretPlaceholder}
        onChange={(event) => set(typedValue(field, event.target.value))}
      />
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {messages.plan.storeSecret}
      </button>
      {isOpen ? (
        <SaveSecret
          onSaved={(name) => {
            set(`keychain:${name}`);
            setOpen(false);
          }}
        />
      ) : null}
    </div>
  );
}

function SaveSecret({ onSaved }: { onSaved(name: string): void }) {
  const id = useId();
  const [name, setName] = useState('');
  const [secret, setSecret] = useState('');
  const [problem, setProblem] = useState('');
  const save = async () => {
    const failed = await saveSecret(name, secret);
    setSecret('');
    setProblem(failed ? describeProblem(failed) : '');
    if (!failed) onSaved(name);
  };
  const isReady = /^\S{1,200}$/.test(name) && secret !== '';
  return (
    <form
      className="connect-keep"
      aria-label={messages.plan.secretForm}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void save();
      }}
    >
      <label htmlFor={`${id}-name`}>{messages.plan.secretName}</label>
      <input
        id={`${id}-name`}
        value={name}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
      />
      <label htmlFor={`${id}-secret`}>{messages.plan.secret}</label>
      <input
        id={`${id}-secret`}
        type="password"
        autoComplete="off"
        value={secret}
        onChange={(event) => setSecret(event.target.value)}
      />
      <button type="submit" disabled={!isReady}>
        {messages.plan.saveSecret}
      </button>
      {problem === '' ? null : (
        <p className="connect-wrong" role="alert">
          ▲ {problem}
        </p>
      )}
    </form>
  );
}

const valueText = (value: unknown): string =>
  value === undefined ? '' : Array.isArray(value) ? value.join(', ') : String(value);

/** The typed text as a value of the plan; text that is no number stays text, and the plan reports it. */
function typedValue({ type }: Field, text: string): unknown {
  if (text === '') return undefined;
  if (text === 'null') return null;
  if (type === 'list') return text.split(',').map((word) => word.trim());
  const number = Number(text);
  // "1." may still become a number.
  return type === 'number' && String(number) === text ? number : text;
}
