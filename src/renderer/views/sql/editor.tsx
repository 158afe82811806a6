import { autocompletion, closeBrackets, completionKeymap, completionStatus } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { type SQLNamespace, sql } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, Prec } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import type { Relation } from '../../../model/contract/index.ts';
import { runSql, setSqlText, useSql } from '../../state/sql.ts';
import { completeNames, sqlDialect } from './completion.ts';
import { messages } from './messages.ts';

export interface EditorProps {
  readonly relations: readonly Relation[];
}

const language = new Compartment();

/** Edits the text of `useSql`, with colours and completion from the schema. */
export function Editor({ relations }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const edition = useSql((state) => state.edition);
  useEffect(() => {
    if (!place.current) return undefined;
    view.current = openEditor(place.current);
    return () => view.current?.destroy();
  }, []);
  useEffect(() => {
    view.current?.dispatch({ effects: language.reconfigure(sqlOf(relations)) });
  }, [relations]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the edition changes when the text is replaced from outside
  useEffect(() => replaceText(view.current, useSql.getState().text), [edition]);
  return <div className="sql-editor" ref={place} data-testid="sql-editor" />;
}

/** After a dot the SQL language completes; elsewhere the names of the case do. */
const sqlOf = (relations: readonly Relation[]) => [
  sql({ dialect: sqlDialect, schema: namespaceOf(relations) }),
  sqlDialect.language.data.of({ autocomplete: completeNames(relations) }),
];

const namespaceOf = (relations: readonly Relation[]): SQLNamespace =>
  Object.fromEntries(relations.map(({ name, columns }) => [name, columns.map((column) => column.name)]));

/**
 * The editor brings its own stylesheet. In a shadow root it adopts a constructed one, which the content security policy
 * allows; elsewhere it would write a `<style>`, which the policy forbids.
 */
function openEditor(place: HTMLElement): EditorView {
  const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: useSql.getState().text,
      extensions: [
        Prec.highest(
          keymap.of([
            { key: 'Mod-Enter', run: runNow },
            { key: 'Escape', run: leave },
          ]),
        ),
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ icons: false }),
        language.of(sqlOf([])),
        syntaxHighlighting(colours),
        placeholder(messages.placeholder),
        keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        // A contenteditable is focusable, but scrollable-region checks need the attribute.
        EditorView.contentAttributes.of({ 'aria-label': messages.title, tabindex: '0' }),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && setSqlText(state.doc.toString())),
        editorTheme,
      ],
    }),
  });
  return view;
}

function runNow(): boolean {
  void runSql();
  return true;
}

/** Tab moves the focus as everywhere. Escape leaves the editor if no completion list is open. */
function leave(view: EditorView): boolean {
  if (completionStatus(view.state) !== null) return false;
  view.contentDOM.blur();
  return true;
}

function replaceText(view: EditorView | undefined, text: string): void {
  if (!view || view.state.doc.toString() === text) return;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: tags.number, color: 'var(--layer-power)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--layer-network)' },
]);

const editorTheme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: 'var(--size)', lineHeight: '18px' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--muted)', borderRight: '1px solid var(--hairline)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--selection) !important' },
  '.cm-matchingBracket': { backgroundColor: 'var(--selection)', outline: '1px solid var(--edge)' },
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
