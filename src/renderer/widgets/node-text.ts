import { Children, isValidElement, type ReactNode } from 'react';

/** The visible text of a node; components inside it are not rendered. */
export function nodeText(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number' || typeof node === 'bigint') return String(node);
  if (Array.isArray(node)) return Children.toArray(node).map(nodeText).join('');
  if (!isValidElement<{ readonly children?: ReactNode; readonly 'aria-hidden'?: unknown }>(node)) return '';
  const { children, 'aria-hidden': hidden } = node.props;
  return hidden === true || hidden === 'true' ? '' : Children.toArray(children).map(nodeText).join('');
}
