import { Combobox, ComboboxItem, ComboboxList, ComboboxProvider } from '@ariakit/react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { EvidenceRecord, Output } from '../../model/contract/index.ts';
import { severities } from '../../model/entity.ts';
import { nanos } from '../../model/time.ts';
import { problemOf } from '../client/problem-of.ts';
import { formatCount, formatValue, readableType } from '../draw/text/format-value.ts';
import { closePalette, type OpenedPalette, showDetails, useCase } from '../state/case-state.ts';
import { client } from '../state/client.ts';
import { select, selectEntity } from '../state/focus.ts';
import { type LinkedPlace, readPlaceLink } from '../state/place-link.ts';
import { showLinked } from '../state/route.ts';
import { useAnswer } from '../state/use-answer.ts';
import { type CaseTimeFormat, formatInstant, useTimeFormat } from '../state/use-time-format.ts';
import { keyed } from '../widgets/keyed.ts';
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
/** Id of the first choice. */
const FIRST = 'palette-0';
const nothing: Output<'search'> = { entities: [], ids: [], events: [], spans: [], logs: [] };

function OpenPalette({ start, opening }: OpenedPalette) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState(start);
  const [current, setCurrent] = useState(FIRST);
  const format = useTimeFormat();
  const revision = useCase((state) => state.revision);
  useEffect(() => dialog.current?.showModal(), []);
  const onlyCommands = text.startsWith('>');
  const wanted = onlyCommands ? '' : text.trim();
  const { value, problem, slow, retry } = useAnswer(`${revision} ${wanted}`, async (signal) => {
    if (wanted.length < LEAST || readPlaceLink(wanted)) return { ...nothing, record: null };
    const record = EVIDENCE_ID.test(wanted) ? await recordOf(wanted, signal) : null;
    return { ...(await client().call('search', { text: wanted }, signal)), record };
  });
  const choices = useMemo(() => {
    const commands = commandsLike(onlyCommands ? text.slice(1) : text).map(({ title, keys, run }) => ({
      group: messages.palette.commands,
      title,
      note: keys,
      run,
    }));
    const record = value?.record ? [recordChoice(value.record)] : [];
    const link = readPlaceLink(wanted);
    if (link) return [linkChoice(link)];
    return [...(wanted.length < LEAST ? [] : [...record, ...found(value ?? nothing, format)]), ...commands];
  }, [value, text, wanted, onlyCommands, format]);
  const run = (choice: Choice) => {
    dialog.current?.close();
    choice.run();
  };
  return (
    <dialog ref={dialog} className="palette" aria-label={messages.palette.title} onClose={() => closePalette(opening)}>
      <ComboboxProvider
        open
        value={text}
        setValue={setText}
        activeId={current}
        // The library has no active choice after each letter; Enter runs the first one.
        setActiveId={(id) => setCurrent(id ?? FIRST)}
        includesBaseElement={false}
      >
        <Combobox
          aria-label={messages.palette.label}
          placeholder={messages.palette.placeholder}
          data-testid="palette"
          spellCheck={false}
        />
        {problem ? <ProblemNote problem={problem} what={messages.palette.search} onRetry={retry} /> : null}
        <ComboboxList
          id="palette-list"
          aria-label={messages.palette.results}
          className="palette-list"
          // A key reaches the current choice too; only that of the input goes on to the window.
          onKeyDown={(event) => event.stopPropagation()}
        >
          {keyed(choices).map(({ key, value: choice }, i) => (
            <ComboboxItem
              key={key}
              id={`palette-${key}`}
              aria-selected={current === `palette-${key}`}
              className="palette-choice"
              onClick={() => run(choice)}
            >
              <span className="muted palette-group">{choices[i - 1]?.group === choice.group ? '' : choice.group}</span>
              <span className="ellipsis">{choice.title}</span>
              <span className="muted ellipsis palette-what">{choice.note}</span>
            </ComboboxItem>
          ))}
        </ComboboxList>
      </ComboboxProvider>
      {slow ? <p className="muted palette-note">{messages.palette.searching}</p> : null}
      {choices.length === 0 && !slow && !problem ? (
        <p className="muted palette-note">{messages.palette.empty(wanted)}</p>
      ) : null}
    </dialog>
  );
}

/** As reports cite it. */
const EVIDENCE_ID =
  /^(?:event|span|log|metric|measurement|collective|entity|source|incident|edge|annotation|mechanism):\S/;

/** null: the case has no such record. */
const recordOf = (ref: string, signal: AbortSignal): Promise<EvidenceRecord | null> =>
  client()
    .call('evidence.get', { ref }, signal)
    .catch((error: unknown) => {
      if (problemOf(error).code === 'evidence.unknown') return null;
      throw error;
    });

const linkChoice = (place: LinkedPlace): Choice => ({
  group: messages.palette.link,
  title: messages.palette.linkTo(place.view),
  note: place.name ?? '',
  run: () => showLinked(place),
});

const recordChoice = ({ ref, title, time_ns }: EvidenceRecord): Choice => ({
  group: messages.palette.record,
  title,
  note: ref,
  run: () => {
    select(ref, time_ns === null ? undefined : nanos(time_ns));
    showDetails();
  },
});

function found({ entities, ids, events, spans, logs }: Output<'search'>, format: CaseTimeFormat): Choice[] {
  const open = (ref: string, time: bigint) => () => {
    select(ref, nanos(time));
    showDetails();
  };
  const at = (time: bigint): string => formatInstant(nanos(time), format);
  return [
    ...ids.map(({ trace_id, ref, is_span, time_ns, name, service, spans: count }) => ({
      group: is_span ? messages.palette.span : messages.palette.trace,
      title: `${name} ${service}`,
      note: is_span ? messages.palette.ofTrace(trace_id) : messages.palette.traceNote(formatCount(count), at(time_ns)),
      run: open(ref, time_ns),
    })),
    ...entities.map(({ key, kind, id, name, what }) => ({
      group: messages.palette.entities,
      title: id,
      note: name === id ? kind : messages.palette.alias(kind, what, name),
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
