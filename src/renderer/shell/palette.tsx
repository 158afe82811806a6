import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { Output } from '../../model/contract/index.ts';
import { severities } from '../../model/entity.ts';
import { nanos } from '../../model/time.ts';
import { formatCount, formatValue, readableType } from '../draw/text/format-value.ts';
import { closePalette, type OpenedPalette, showDetails, useCase } from '../state/case-state.ts';
import { client } from '../state/client.ts';
import { select, selectEntity } from '../state/focus.ts';
import { useAnswer } from '../state/use-answer.ts';
import { type CaseTimeFormat, formatInstant, useTimeFormat } from '../state/use-time-format.ts';
import { ProblemNote } from '../widgets/problem-note.tsx';
import { commandsLike } from './commands.ts';
import { messages } from './messages/window.ts';
import './palette.css';

interface Choice {
  readonly group: string;
  readonly title: string;
  readonly note: string;
  readonly run: () => void;
}

/** Searches entities, events, spans and logs by text and commands by name; a leading `>` searches commands only. */
export function Palette() {
  const opened = useCase((state) => state.palette);
  return opened === null ? null : <OpenPalette key={opened.opening} {...opened} />;
}

const LEAST = 2;
const nothing: Output<'search'> = { entities: [], events: [], spans: [], logs: [] };

function OpenPalette({ start, opening }: OpenedPalette) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState(start);
  const [at, setAt] = useState(0);
  const format = useTimeFormat();
  const revision = useCase((state) => state.revision);
  useEffect(() => dialog.current?.showModal(), []);
  const onlyCommands = text.startsWith('>');
  const wanted = onlyCommands ? '' : text.trim();
  const { value, problem, slow, retry } = useAnswer(`${revision} ${wanted}`, async (signal) =>
    wanted.length < LEAST ? nothing : client().call('search', { text: wanted }, signal),
  );
  const choices = useMemo(() => {
    const commands = commandsLike(onlyCommands ? text.slice(1) : text).map(({ title, keys, run }) => ({
      group: messages.palette.commands,
      title,
      note: keys,
      run,
    }));
    return [...(wanted.length < LEAST ? [] : found(value ?? nothing, format)), ...commands];
  }, [value, text, wanted, onlyCommands, format]);
  const current = Math.min(at, Math.max(0, choices.length - 1));
  const run = (choice: Choice | undefined) => {
    if (!choice) return;
    dialog.current?.close();
    choice.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt((current + 1) % Math.max(1, choices.length));
    else if (event.key === 'ArrowUp') setAt((current - 1 + choices.length) % Math.max(1, choices.length));
    else if (event.key === 'Enter') run(choices[current]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} className="palette" aria-label={messages.palette.title} onClose={() => closePalette(opening)}>
      <input
        type="text"
        role="combobox"
        aria-label={messages.palette.label}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={choices.length > 0 ? `palette-${current}` : undefined}
        placeholder={messages.palette.placeholder}
        data-testid="palette"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      {problem ? <ProblemNote problem={problem} what={messages.palette.search} onRetry={retry} /> : null}
      <ChoiceList choices={choices} current={current} onRun={run} />
      {slow ? <p className="muted palette-note">{messages.palette.searching}</p> : null}
      {choices.length === 0 && !slow && !problem ? (
        <p className="muted palette-note">{messages.palette.empty(wanted)}</p>
      ) : null}
    </dialog>
  );
}

interface ChoiceListProps {
  readonly choices: readonly Choice[];
  readonly current: number;
  readonly onRun: (choice: Choice) => void;
}

function ChoiceList({ choices, current, onRun }: ChoiceListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`#palette-${current}`)?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <div ref={list} id="palette-list" role="listbox" aria-label={messages.palette.results} className="palette-list">
      {choices.map((choice, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles the keys of its options.
        <div
          key={`${choice.group} ${choice.title} ${choice.note}`}
          id={`palette-${i}`}
          role="option"
          tabIndex={-1}
          aria-selected={i === current}
          className="palette-choice"
          onClick={() => onRun(choice)}
        >
          <span className="muted palette-group">{choices[i - 1]?.group === choice.group ? '' : choice.group}</span>
          <span className="ellipsis">{choice.title}</span>
          <span className="muted ellipsis palette-what">{choice.note}</span>
        </div>
      ))}
    </div>
  );
}

function found({ entities, events, spans, logs }: Output<'search'>, format: CaseTimeFormat): Choice[] {
  const open = (ref: string, time: bigint) => () => {
    select(ref, nanos(time));
    showDetails();
  };
  const at = (time: bigint): string => formatInstant(nanos(time), format);
  return [
    ...entities.map(({ key, kind, id, name }) => ({
      group: messages.palette.entities,
      title: id,
      note: name === id ? kind : messages.palette.alias(kind, name),
      run: () => {
        selectEntity(key);
        showDetails();
      },
    })),
    ...events.map(({ ref, time_ns, severity, type, device, message }) => ({
      group: messages.palette.events,
      title: `${readableType(type)} ${device}${message === '' ? '' : `: ${message}`}`,
      note: `${severities[severity] ?? ''} ${at(time_ns)}`,
      run: open(ref, time_ns),
    })),
    ...spans.map(({ ref, time_ns, duration_ms, name, service, spans: count }) => ({
      group: messages.palette.spans,
      title: `${name} ${service}`,
      note: messages.palette.spanNote(formatCount(count), formatValue(duration_ms, 'ms')),
      run: open(ref, time_ns),
    })),
    ...logs.map(({ ref, time_ns, body }) => ({
      group: messages.palette.logs,
      title: body,
      note: at(time_ns),
      run: open(ref, time_ns),
    })),
  ];
}
