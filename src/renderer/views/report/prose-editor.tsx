import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
  completionStatus,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { EditorState, Prec } from '@codemirror/state';
import { drawSelection, EditorView, keymap, placeholder } from '@codemirror/view';
import { useEffect, useRef, useState } from 'react';
import type { EvidenceItem } from '../../../model/incident/report-document.ts';
import { Markdown } from '../../widgets/markdown.tsx';

export interface ProseEditorProps {
  readonly title: string;
  readonly text: string;
  /** What `@` offers. */
  readonly evidence: readonly EvidenceItem[];
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** Words in Markdown with a live preview; `@` cites evidence. Ctrl+Enter saves, Escape gives up. */
export function ProseEditor({ title, text, evidence, onSave, onCancel }: ProseEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const [written, setWritten] = useState(text);
  const latest = useRef({ evidence, onSave, onCancel });
  latest.current = { evidence, onSave, onCancel };
  // biome-ignore lint/correctness/useExhaustiveDependencies: opened once with the words as they are then
  useEffect(() => {
    if (!place.current) return undefined;
    const view = openEditor(place.current, {
      title,
      text,
      evidence: () => latest.current.evidence,
      onText: setWritten,
      onSave: (words) => latest.current.onSave(words),
      onCancel: () => latest.current.onCancel(),
    });
    view.focus();
    return () => view.destroy();
  }, []);
  return (
    <div className="prose-editing">
      <div className="prose-editor" ref={place} data-testid="prose-editor" />
      <section className="report-prose" aria-label={`Preview of ${title}`}>
        <Markdown text={written === '' ? '*Nothing written yet.*' : written} onAnchor={() => undefined} />
      </section>
      <span className="button-group">
        <button type="button" className="primary" onClick={() => onSave(written)}>
          Save
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <span className="muted">@ cites evidence, Ctrl+Enter saves, Esc gives up</span>
      </span>
    </div>
  );
}

interface Editing {
  readonly title: string;
  readonly text: string;
  readonly evidence: () => readonly EvidenceItem[];
  readonly onText: (text: string) => void;
  /** The words as they are in the editor: what is shown beside it may be a keystroke behind. */
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** Within a shadow root the editor adopts a constructed stylesheet, which the window's policy allows. */
function openEditor(place: HTMLElement, { title, text, evidence, onText, onSave, onCancel }: Editing): EditorView {
  const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' });
  const save = (view: EditorView): boolean => {
    onSave(view.state.doc.toString());
    return true;
  };
  const cancel = (view: EditorView): boolean => {
    if (completionStatus(view.state) !== null) return false;
    onCancel();
    return true;
  };
  return new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        Prec.highest(
          keymap.of([
            { key: 'Mod-Enter', run: save },
            { key: 'Escape', run: cancel },
          ]),
        ),
        history(),
        drawSelection(),
        EditorView.lineWrapping,
        autocompletion({
          icons: false,
          interactionDelay: 0,
          override: [(context) => offerEvidence(context, evidence())],
        }),
        placeholder('What readers should know. @ cites evidence.'),
        keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': `Words of ${title}`, tabindex: '0' }),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && onText(state.doc.toString())),
        editorTheme,
      ],
    }),
  });
}

/**
 * After an `@`: records by their title or id, put in as a link to the record. What is offered follows each letter at once, so that
 * Enter right after the last one takes what is shown; asked anew, it would be a new line for a tenth of a second.
 */
function offerEvidence(context: CompletionContext, evidence: readonly EvidenceItem[]): CompletionResult | null {
  const typed = context.matchBefore(/@[^@\n]{0,60}/);
  if (!typed) return null;
  const wanted = typed.text.slice(1).toLowerCase();
  const found = evidence.filter(({ title, ref }) => `${title} ${ref}`.toLowerCase().includes(wanted)).slice(0, 50);
  if (found.length === 0) return null;
  return {
    from: typed.from,
    filter: false,
    update: (_result, _from, _to, later) => offerEvidence(later, evidence),
    options: found.map(({ title, ref }) => ({ label: shortened(title), detail: ref, apply: citation(title, ref) })),
  };
}

const shortened = (title: string): string => (title.length > 60 ? `${title.slice(0, 59)}…` : title);

/** Brackets in a title would end the link's text, parentheses in an id its target. */
function citation(title: string, ref: string): string {
  const target = encodeURIComponent(ref)
    .replaceAll('%3A', ':')
    .replaceAll('%40', '@')
    .replaceAll('%2F', '/')
    .replaceAll('(', '%28')
    .replaceAll(')', '%29');
  return `[${shortened(title).replaceAll(/[[\]\\]/g, '')}](#${target})`;
}

const editorTheme = EditorView.theme({
  '&': { minHeight: '80px', maxHeight: '320px', color: 'var(--text)', backgroundColor: 'var(--surface)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: 'var(--size)', lineHeight: '18px', overflow: 'auto' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--selection) !important' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--edge)',
    borderRadius: 'var(--radius)',
    color: 'var(--text)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: 'var(--size)' },
  '.cm-completionDetail': { color: 'inherit', fontStyle: 'normal', marginLeft: '12px' },
});
