import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
  completionStatus,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { EditorState, Prec } from '@codemirror/state';
import { drawSelection, EditorView, keymap, placeholder } from '@codemirror/view';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { EvidenceItem } from '../../../model/incident/report-document.ts';
import { Markdown } from '../../widgets/markdown.tsx';
import { messages } from './messages.ts';

export interface ProseEditorProps {
  readonly title: string;
  /** The text that the editor starts with, and what of it is selected; changes until the editor is loaded. */
  readonly early: RefObject<{ text: string; anchor: number; head: number }>;
  /** Suggestions after `@`. */
  readonly evidence: readonly EvidenceItem[];
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** Markdown editor with a live preview; `@` cites evidence. Ctrl+Enter saves, Escape cancels. */
export function ProseEditor({ title, early, evidence, onSave, onCancel }: ProseEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const [written, setWritten] = useState(() => early.current.text);
  const latest = useRef({ evidence, onSave, onCancel });
  latest.current = { evidence, onSave, onCancel };
  // In the same step in which the plain field goes: a key in between would be lost.
  // biome-ignore lint/correctness/useExhaustiveDependencies: opened once with the initial text
  useLayoutEffect(() => {
    if (!place.current) return undefined;
    const view = openEditor(place.current, {
      title,
      ...early.current,
      evidence: () => latest.current.evidence,
      onText: setWritten,
      onSave: (words) => latest.current.onSave(words),
      onCancel: () => latest.current.onCancel(),
    });
    // Letters may have come since it was rendered.
    setWritten(early.current.text);
    view.focus();
    // For a citation that was begun while the editor was loading.
    startCompletion(view);
    return () => view.destroy();
  }, []);
  return (
    <div className="prose-editing">
      <div className="prose-editor" ref={place} data-testid="prose-editor" />
      <section className="report-prose" aria-label={messages.editor.preview(title)}>
        <Markdown text={written === '' ? messages.editor.empty : written} onAnchor={() => undefined} />
      </section>
      <span className="button-group">
        <button type="button" className="primary" onClick={() => onSave(written)}>
          {messages.editor.save}
        </button>
        <button type="button" onClick={onCancel}>
          {messages.editor.cancel}
        </button>
        <span className="muted">{messages.editor.hint}</span>
      </span>
    </div>
  );
}

interface Editing {
  readonly title: string;
  readonly text: string;
  readonly anchor: number;
  readonly head: number;
  readonly evidence: () => readonly EvidenceItem[];
  readonly onText: (text: string) => void;
  /** The text of the editor: the preview may be a keystroke behind. */
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** In a shadow root the editor adopts a constructed stylesheet, which the content security policy allows. */
function openEditor(
  place: HTMLElement,
  { title, text, anchor, head, evidence, onText, onSave, onCancel }: Editing,
): EditorView {
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
      selection: { anchor, head },
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
        placeholder(messages.editor.placeholder),
        keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': messages.editor.label(title), tabindex: '0' }),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && onText(state.doc.toString())),
        editorTheme,
      ],
    }),
  });
}

/**
 * After an `@`: records by title or id, inserted as a link. Suggestions update synchronously, so that Enter right after the last
 * letter takes the suggestion on screen; an asynchronous source would insert a newline instead.
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

/** Brackets in a title would end the link text, parentheses in an id would end its target. */
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
