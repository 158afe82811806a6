import { lazy, Suspense, useState } from 'react';
import type { AnnotationOf } from '../../../model/incident/annotation.ts';
import type { ReportDocument, ReportFigure, ReportSection } from '../../../model/incident/report-document.ts';
import { annotate, freshAnnotation, useAnnotations } from '../../state/annotations.ts';
import { keyed } from '../../widgets/keyed.ts';
import { Markdown } from '../../widgets/markdown.tsx';
import { Progress } from '../../widgets/progress.tsx';

/** The editor is much code: it comes when it is asked for. */
const ProseEditor = lazy(async () => ({ default: (await import('./prose-editor.tsx')).ProseEditor }));

interface PartProps {
  readonly section: ReportSection;
  readonly facts: { readonly markdown: string; readonly statements: readonly string[] } | undefined;
  readonly report: ReportDocument;
  /** The first of its incident. */
  readonly isFirst: boolean;
  readonly onAnchor: (anchor: string) => void;
}

export function ReportPart({ section, facts, report, isFirst, onAnchor }: PartProps) {
  const [editing, setEditing] = useState(false);
  const incident = report.incidents.find(({ id }) => id === section.incident);
  const statements = facts?.statements ?? [];
  const own = useProse(section.key);
  const write = async (text: string): Promise<void> => {
    if (await writeProse(section, own, { text, statements })) setEditing(false);
  };
  const figures = section.blocks.flatMap((block) =>
    block.kind === 'figure' ? (report.figures.find(({ id }) => id === block.figure) ?? []) : [],
  );
  return (
    <section className="report-part" aria-label={section.title} data-testid={`report-${section.id}`}>
      {isFirst && incident ? <h2>{`Incident ${incident.id}: ${incident.affected_services.join(', ')}`}</h2> : null}
      <header>
        <h3>{section.title}</h3>
        {editing ? null : (
          <button
            type="button"
            className="plain"
            aria-label={`${section.prose ? 'Edit the words of' : 'Write in'} ${section.title}`}
            onClick={() => setEditing(true)}
          >
            {section.prose ? 'edit' : 'write'}
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
        <Suspense fallback={<Progress label="Loading the editor" />}>
          <ProseEditor
            title={section.title}
            text={section.prose?.text ?? ''}
            evidence={report.evidence}
            onSave={(text) => void write(text)}
            onCancel={() => setEditing(false)}
          />
        </Suspense>
      ) : section.prose ? (
        <div className="report-prose">
          <Markdown text={section.prose.text} onAnchor={onAnchor} />
        </div>
      ) : null}
      <Markdown text={facts?.markdown ?? ''} onAnchor={onAnchor} />
      {figures.map((figure) => (
        <Figure key={figure.id} figure={figure} />
      ))}
    </section>
  );
}

const useProse = (key: string): AnnotationOf<'prose'> | undefined =>
  useAnnotations(({ list }) =>
    list.find((one): one is AnnotationOf<'prose'> => one.kind === 'prose' && one.section === key),
  );

/** Writes about the facts as they are now; no words at all are taken away. */
function writeProse(
  { key, title }: ReportSection,
  own: AnnotationOf<'prose'> | undefined,
  { text, statements }: { readonly text: string; readonly statements: readonly string[] },
): Promise<boolean> {
  if (text.trim() === '') return own ? annotate(`words of ${title}`, { remove: [own.id] }) : Promise.resolve(true);
  const base = own ?? { ...freshAnnotation(''), kind: 'prose' as const, section: key };
  return annotate(`words of ${title}`, { put: [{ ...base, text, facts: [...statements] }] });
}

interface ConflictProps {
  readonly section: ReportSection;
  readonly onKeepMine: () => void;
  readonly onEdit: () => void;
}

/** What was, what is, and the words that stay as they are until somebody decides. */
function Conflict({ section, onKeepMine, onEdit }: ConflictProps) {
  const { was = [], now = [] } = section.prose?.conflict ?? {};
  return (
    <div className="report-conflict" role="note" aria-label={`${section.title}: the facts changed`}>
      <p>The facts changed after these words were written. Your words are as they were.</p>
      <dl>
        {keyed(was).map(({ key, value }) => (
          <div key={`was ${key}`}>
            <dt>Was</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {keyed(now).map(({ key, value }) => (
          <div key={`now ${key}`}>
            <dt>Now</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <span className="button-group">
        <button type="button" onClick={onKeepMine}>
          Keep my words
        </button>
        <button type="button" onClick={onEdit}>
          Edit them
        </button>
      </span>
    </div>
  );
}

/** As an image: what a recording put into it can neither run nor be styled by the window. */
function Figure({ figure: { title, description, svg } }: { readonly figure: ReportFigure }) {
  return (
    <figure className="report-figure">
      <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={`${title}. ${description}`} />
      <figcaption>{title}</figcaption>
    </figure>
  );
}
