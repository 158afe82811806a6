import { Children, isValidElement, type ReactNode } from 'react';

/** The text that people read in a node; what a component draws is not looked into. */
export function nodeText(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number' || typeof node === 'bigint') return String(node);
  if (Array.isArray(node)) return Children.toArray(node).map(nodeText).join('');
  if (!isValidElement<{ readonly children?: ReactNode; readonly 'aria-hidden'?: unknown }>(node)) return '';
  const { children, 'aria-hidden': hidden } = node.props;
  return hidden === true || hidden === 'true' ? '' : Children.toArray(children).map(nodeText).join('');
}
