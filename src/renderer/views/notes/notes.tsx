import { useState } from 'react';
import { type Severity, severities } from '../../../model/entity.ts';
import { type Annotation, annotationText } from '../../../model/incident/annotation.ts';
import { type Nanos, nanos } from '../../../model/time.ts';
import { annotate, freshAnnotation, noteMarkers } from '../../state/annotations.ts';
import { showDetails, showSources, showView } from '../../state/case-state.ts';
import { select, selectEntity, useFocus } from '../../state/focus.ts';
import { useAnnotationList } from '../../state/known.ts';
import { useSteadyWindow } from '../../state/use-settled-window.ts';
import { formatInstant, useTimeFormat } from '../../state/use-time-format.ts';
import { messages } from './messages.ts';
import './notes.css';

/** All annotations of the case, in the order of their creation. */
export function Notes() {
  const list = useAnnotationList();
  const letters = noteMarkers(list);
  return (
    <section className="view notes" aria-label={messages.title}>
      <NewNote />
      {list.length === 0 ? <p className="muted">{messages.empty}</p> : null}
      <ol>
        {list.map((annotation) => (
          <NoteRow key={annotation.id} annotation={annotation} letter={letters.get(annotation.id) ?? null} />
        ))}
      </ol>
    </section>
  );
}

type About = 'selection' | 'instant' | 'window';

function NewNote() {
  const [text, setText] = useState('');
  const [wish, setWish] = useState<About>('selection');
  const [severity, setSeverity] = useState<Severity | null>(null);
  const selected = useFocus((focus) => focus.selected);
  const playhead = useFocus((focus) => focus.playhead);
  const window = useSteadyWindow();
  const format = useTimeFormat();
  const about = wish === 'selection' && selected === null ? 'instant' : wish;
  const isReady = text.trim() !== '' && (about !== 'instant' || playhead !== null);
  const save = async () => {
    const isEntity = about === 'selection' && selected?.startsWith('entity:');
    const note = {
      kind: 'note',
      ...freshAnnotation(text.trim()),
      target: about === 'selection' ? selected : null,
      ...(severity === null ? {} : { severity }),
      at_ns: about === 'window' ? window.startNs : isEntity ? null : playhead,
      until_ns: about === 'window' ? window.endNs : null,
    } as const;
    if (isReady && (await annotate(messages.kinds.note, { put: [note] }))) {
      setText('');
      setSeverity(null);
    }
  };
  return (
    <form
      className="new-note"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        aria-label={messages.new.label}
        placeholder={messages.new.placeholder}
        data-new-note=""
        rows={3}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save();
        }}
      />
      <div className="button-row">
        <select
          aria-label={messages.new.about}
          value={about}
          onChange={(event) => setWish(event.target.value as About)}
        >
          <option value="selection" disabled={selected === null}>
            {messages.new.aboutSelection(selected ?? messages.new.selection)}
          </option>
          <option value="instant" disabled={playhead === null}>
            {messages.new.at(playhead === null ? messages.new.playhead : formatInstant(playhead, format))}
          </option>
          <option value="window">
            {messages.new.window(formatInstant(window.startNs, format, 1), formatInstant(window.endNs, format, 1))}
          </option>
        </select>
        <SeverityChoice label={messages.new.severity} value={severity} onChange={setSeverity} />
        <button type="submit" disabled={!isReady} title={messages.new.addTitle}>
          {messages.new.add}
        </button>
      </div>
    </form>
  );
}

interface SeverityChoiceProps {
  readonly label: string;
  readonly value: Severity | null;
  readonly onChange: (severity: Severity | null) => void;
}

function SeverityChoice({ label, value, onChange }: SeverityChoiceProps) {
  return (
    <select
      aria-label={label}
      className={value === null ? '' : `severity-${value}`}
      value={value ?? ''}
      onChange={({ target }) => onChange(severities.find((one) => one === target.value) ?? null)}
    >
      <option value="">{messages.new.noSeverity}</option>
      {severities.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  );
}

function NoteRow({ annotation, letter }: { readonly annotation: Annotation; readonly letter: string | null }) {
  const [editing, setEditing] = useState(false);
  const { at_ns, until_ns, text, id } = annotation;
  return (
    <li className="note" data-testid="note">
      <span className="note-letter" aria-hidden={letter === null}>
        {letter ?? '·'}
      </span>
      <div className="note-body">
        <p>
          <span className="muted">{messages.kinds[annotation.kind]}</span> <Target annotation={annotation} />
          <Span at={at_ns} until={until_ns} />
        </p>
        {editing ? (
          <EditText annotation={annotation} onDone={() => setEditing(false)} />
        ) : (
          <p className="note-text">{text === '' ? <span className="muted">{messages.noText}</span> : text}</p>
        )}
      </div>
      <span className="button-group">
        {annotation.kind === 'note' ? (
          <SeverityChoice
            label={messages.severityOf}
            value={annotation.severity ?? null}
            onChange={(severity) => {
              const { severity: _, ...rest } = annotation;
              void annotate(messages.severityChanged, { put: [severity === null ? rest : { ...rest, severity }] });
            }}
          />
        ) : null}
        <button type="button" className="plain" aria-label={messages.editText} onClick={() => setEditing(!editing)}>
          {messages.edit}
        </button>
        <button
          type="button"
          className="plain"
          aria-label={messages.remove}
          onClick={() => void annotate(messages.removed(messages.kinds[annotation.kind]), { remove: [id] })}
        >
          ×
        </button>
      </span>
    </li>
  );
}

function EditText({ annotation, onDone }: { readonly annotation: Annotation; readonly onDone: () => void }) {
  const [text, setText] = useState(annotation.text);
  const save = async () => {
    if (await annotate(messages.edited, { put: [{ ...annotation, text: text.trim() }] })) onDone();
  };
  return (
    <div className="new-note">
      <textarea aria-label={messages.text} rows={3} value={text} onChange={(event) => setText(event.target.value)} />
      <div className="button-row">
        <button type="button" onClick={() => void save()}>
          {messages.save}
        </button>
        <button type="button" className="plain" onClick={onDone}>
          {messages.cancel}
        </button>
      </div>
    </div>
  );
}

/** Links to what the note is about. */
function Target({ annotation }: { readonly annotation: Annotation }) {
  const words = annotationText(annotation);
  const go = wayTo(annotation);
  if (!go) return <span>{words}</span>;
  return (
    <button type="button" className="link" onClick={go}>
      {words}
    </button>
  );
}

function wayTo(annotation: Annotation): (() => void) | null {
  const entityTarget = (name: string) => () => {
    showView('topology');
    selectEntity(name);
  };
  switch (annotation.kind) {
    case 'note': {
      const { target, at_ns } = annotation;
      if (target === null) return at_ns === null ? null : () => select(null, nanos(at_ns));
      return () => {
        if (target.startsWith('entity:')) selectEntity(target.slice('entity:'.length));
        else select(target);
        showDetails();
      };
    }
    case 'stamp':
      return entityTarget(annotation.target);
    case 'arrow':
      return entityTarget(annotation.from);
    case 'edge':
      return entityTarget(annotation.to);
    case 'group':
      return entityTarget(annotation.members[0]!);
    case 'clock':
      return () => showSources('clocks');
    case 'prose':
      return () => showView('report');
    default:
      return null;
  }
}

function Span({ at, until }: { readonly at: bigint | null; readonly until: bigint | null }) {
  const format = useTimeFormat();
  if (at === null && until === null) return null;
  const text = (time: Nanos | null) => (time === null ? '' : formatInstant(time, format));
  const from = text(at === null ? null : nanos(at));
  const to = text(until === null ? null : nanos(until));
  return <span className="muted number"> {to === '' ? from : `${from} - ${to}`}</span>;
}
