import { lazy, Suspense, type SyntheticEvent, useLayoutEffect, useRef, useState } from 'react';
import type { AnnotationOf } from '../../../model/incident/annotation.ts';
import { impactedText } from '../../../model/incident/incident.ts';
import type { ReportDocument, ReportFigure, ReportSection } from '../../../model/incident/report-document.ts';
import { annotate, freshAnnotation } from '../../state/annotations.ts';
import { useAnnotationList } from '../../state/known.ts';
import { keyed } from '../../widgets/keyed.ts';
import { Markdown } from '../../widgets/markdown.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { ActionItems, HeadingForm } from './follow-up.tsx';
import { messages } from './messages.ts';
import type { ProseEditorProps } from './prose-editor.tsx';

/** The editor is large, so it is loaded on demand. */
const ProseEditor = lazy(async () => ({ default: (await import('./prose-editor.tsx')).ProseEditor }));

interface PartProps {
  readonly section: ReportSection;
  readonly facts: { readonly markdown: string; readonly statements: readonly string[] } | undefined;
  readonly report: ReportDocument;
  /** Whether it is the first part of its incident. */
  readonly isFirst: boolean;
  readonly onAnchor: (anchor: string) => void;
}

export function ReportPart({ section, facts, report, isFirst, onAnchor }: PartProps) {
  const [editing, setEditing] = useState(false);
  const incident = report.incidents.find(({ id }) => id === section.incident);
  const statements = facts?.statements ?? [];
  // Its table is there to be changed.
  const isListed = section.id === 'actions' && section.blocks.some(({ kind }) => kind === 'table');
  const own = useProse(section.key);
  const write = async (text: string): Promise<void> => {
    if (await writeProse(section, own, { text, statements })) setEditing(false);
  };
  const figures = section.blocks.flatMap((block) =>
    block.kind === 'figure' ? (report.figures.find(({ id }) => id === block.figure) ?? []) : [],
  );
  return (
    <section className="report-part" aria-label={section.title} data-testid={`report-${section.id}`}>
      {isFirst && incident ? (
        <>
          <h2>{messages.part.incident(incident.id, impactedText(incident))}</h2>
          <HeadingForm incident={incident.id} />
        </>
      ) : null}
      <header>
        <h3>{section.title}</h3>
        {editing ? null : (
          <button
            type="button"
            className="plain"
            aria-label={`${section.prose ? messages.part.editText : messages.part.addText} ${section.title}`}
            onClick={() => setEditing(true)}
          >
            {section.prose ? messages.part.edit : messages.part.add}
          </button>
        )}
      </header>
      {section.prose?.conflict ? (
        <Conflict
          section={section}
          onKeepMine={() => void write(section.prose?.text ?? '')}
          onEdit={() => setEditing(true)}
        />
      ) : null}
      {editing ? (
        <Editing
          title={section.title}
          text={section.prose?.text ?? ''}
          evidence={report.evidence}
          onSave={(text) => void write(text)}
          onCancel={() => setEditing(false)}
        />
      ) : section.prose ? (
        <div className="report-prose">
          <Markdown text={section.prose.text} onAnchor={onAnchor} />
        </div>
      ) : null}
      {section.id === 'actions' && incident ? <ActionItems section={section} incident={incident.id} /> : null}
      {isListed ? null : <Markdown text={facts?.markdown ?? ''} onAnchor={onAnchor} />}
      {figures.map((figure) => (
        <Figure key={figure.id} figure={figure} />
      ))}
    </section>
  );
}

/** The editor; until it is loaded, a plain field that takes what is typed. */
function Editing({ text, ...props }: Omit<ProseEditorProps, 'early'> & { readonly text: string }) {
  const early = useRef({ text, anchor: 0, head: 0 });
  return (
    <Suspense fallback={<EarlyField {...props} early={early} />}>
      <ProseEditor {...props} early={early} />
    </Suspense>
  );
}

function EarlyField({ title, early, onSave, onCancel }: ProseEditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const keep = ({ currentTarget: { value, selectionStart, selectionEnd } }: SyntheticEvent<HTMLTextAreaElement>) => {
    early.current = { text: value, anchor: selectionStart, head: selectionEnd };
  };
  return (
    <div className="prose-editing">
      <textarea
        ref={field}
        className="prose-early"
        aria-label={messages.editor.label(title)}
        placeholder={messages.editor.placeholder}
        defaultValue={early.current.text}
        onInput={keep}
        onSelect={keep}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSave(event.currentTarget.value);
        }}
      />
      <Progress label={messages.part.loading} />
    </div>
  );
}

const useProse = (key: string): AnnotationOf<'prose'> | undefined =>
  useAnnotationList().find((one): one is AnnotationOf<'prose'> => one.kind === 'prose' && one.section === key);

/** Saves the text with the current facts; empty text removes it. */
function writeProse(
  { key, title }: ReportSection,
  own: AnnotationOf<'prose'> | undefined,
  { text, statements }: { readonly text: string; readonly statements: readonly string[] },
): Promise<boolean> {
  if (text.trim() === '')
    return own ? annotate(messages.part.changed(title), { remove: [own.id] }) : Promise.resolve(true);
  const base = own ?? { ...freshAnnotation(''), kind: 'prose' as const, section: key };
  return annotate(messages.part.changed(title), { put: [{ ...base, text, facts: [...statements] }] });
}

interface ConflictProps {
  readonly section: ReportSection;
  readonly onKeepMine: () => void;
  readonly onEdit: () => void;
}

/** The old and new facts, with the investigator's text until the conflict is resolved. */
function Conflict({ section, onKeepMine, onEdit }: ConflictProps) {
  const { was = [], now = [] } = section.prose?.conflict ?? {};
  return (
    <div className="report-conflict" role="note" aria-label={messages.conflict.label(section.title)}>
      <p>{messages.conflict.text}</p>
      <dl>
        {keyed(was).map(({ key, value }) => (
          <div key={`was ${key}`}>
            <dt>{messages.conflict.was}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {keyed(now).map(({ key, value }) => (
          <div key={`now ${key}`}>
            <dt>{messages.conflict.now}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <span className="button-group">
        <button type="button" onClick={onKeepMine}>
          {messages.conflict.keep}
        </button>
        <button type="button" onClick={onEdit}>
          {messages.conflict.edit}
        </button>
      </span>
    </div>
  );
}

/** As an image, so that recorded content can neither run scripts nor use the styles of the window. */
function Figure({ figure: { title, description, svg } }: { readonly figure: ReportFigure }) {
  return (
    <figure className="report-figure">
      <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={`${title}. ${description}`} />
      <figcaption>{title}</figcaption>
    </figure>
  );
}
