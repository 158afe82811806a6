import './markdown.css';
import { createElement, type ReactNode, useMemo } from 'react';
import { type Block, type Inline, type ListBlock, parseMarkdown } from '../../base/markdown.ts';
import { visibleText } from '../../base/visible-text.ts';
import { keyed } from './keyed.ts';

export interface MarkdownProps {
  readonly text: string;
  /** Called with the target of a link inside the document, without the `#`. */
  readonly onAnchor: (anchor: string) => void;
}

/** Builds elements, never HTML: text from a log line stays text. */
export function Markdown({ text, onAnchor }: MarkdownProps) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return (
    <div className="markdown selectable">
      {keyed(blocks).map(({ key, value: block }) => (
        <BlockView key={key} block={block} onAnchor={onAnchor} />
      ))}
    </div>
  );
}

interface BlockProps {
  readonly block: Block;
  readonly onAnchor: (anchor: string) => void;
}

function BlockView({ block, onAnchor }: BlockProps): ReactNode {
  const show = (inlines: readonly Inline[]) =>
    keyed(inlines).map(({ key, value: inline }) => <InlineView key={key} inline={inline} onAnchor={onAnchor} />);
  switch (block.kind) {
    case 'heading':
      return createElement(`h${block.level}`, { id: block.id }, show(block.inlines));
    case 'paragraph':
      return <p>{show(block.inlines)}</p>;
    case 'quote':
      return <blockquote>{show(block.inlines)}</blockquote>;
    case 'code':
      return <pre>{block.text}</pre>;
    case 'rule':
      return <hr />;
    case 'list':
      return <ListView block={block} show={show} />;
    case 'table':
      return <TableView block={block} show={show} />;
  }
}

interface ListProps {
  readonly block: ListBlock;
  readonly show: (inlines: readonly Inline[]) => ReactNode;
}

function ListView({ block, show }: ListProps): ReactNode {
  const items = keyed(block.items).map(({ key, value: item }) => (
    <li key={key}>
      {show(item.inlines)}
      {keyed(item.children).map(({ key: place, value: child }) => (
        <ListView key={place} block={child} show={show} />
      ))}
    </li>
  ));
  return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
/** A single time must not wrap. */
const isInstant = ([first, ...more]: readonly Inline[]): boolean =>
  first?.kind === 'text' && more.length === 0 && INSTANT.test(first.text);

interface TableProps {
  readonly block: Extract<Block, { kind: 'table' }>;
  readonly show: (inlines: readonly Inline[]) => ReactNode;
}

function TableView({ block, show }: TableProps) {
  const align = (key: string) => (block.align[Number(key)] === 'right' ? 'number' : '');
  return (
    <div className="markdown-table">
      <table>
        <thead>
          <tr>
            {keyed(block.head).map(({ key, value: cell }) => (
              <th key={key} className={align(key)}>
                {show(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keyed(block.rows).map(({ key: line, value: row }) => (
            <tr key={line}>
              {keyed(row).map(({ key, value: cell }) => (
                <td key={key} className={isInstant(cell) ? 'instant' : align(key)}>
                  {show(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function InlineView({
  inline,
  onAnchor,
}: {
  readonly inline: Inline;
  readonly onAnchor: (anchor: string) => void;
}): ReactNode {
  const show = (children: readonly Inline[]) =>
    keyed(children).map(({ key, value: child }) => <InlineView key={key} inline={child} onAnchor={onAnchor} />);
  switch (inline.kind) {
    case 'text':
      return visibleText(inline.text);
    case 'code':
      return <code>{inline.text}</code>;
    case 'strong':
      return <strong>{show(inline.children)}</strong>;
    case 'emphasis':
      return <em>{show(inline.children)}</em>;
    case 'anchor':
      return <span id={inline.id} />;
    case 'link': {
      const { href } = inline;
      // Only links inside the document: a report must not lead out of the window.
      if (!href.startsWith('#')) return <span title={href}>{show(inline.children)}</span>;
      return (
        <button type="button" className="link" onClick={() => onAnchor(href.slice(1))}>
          {show(inline.children)}
        </button>
      );
    }
  }
}
