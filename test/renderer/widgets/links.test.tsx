// @vitest-environment happy-dom
import { cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { useCase } from '../../../src/renderer/state/case-state.ts';
import { selectEntities, useFocus } from '../../../src/renderer/state/focus.ts';
import { EntityChips } from '../../../src/renderer/widgets/entity-chips.tsx';
import { Markdown } from '../../../src/renderer/widgets/markdown.tsx';
import { RecordLinks } from '../../../src/renderer/widgets/record-links.tsx';

const [focus, shown] = [useFocus.getState(), useCase.getState()];
afterEach(() => {
  cleanup();
  useFocus.setState(focus, true);
  useCase.setState(shown, true);
});

describe('links to records', () => {
  const selected = () => useFocus.getState().selected;

  test('the text opens its first record beside the view', async () => {
    render(<RecordLinks text="voltage sag" refs={['event:1', 'event:2']} />);
    useCase.setState({ tab: 'causes' });
    await userEvent.click(screen.getByRole('button', { name: 'voltage sag' }));
    expect([selected(), useCase.getState().tab]).toEqual(['event:1', 'details']);
  });

  test('the others are numbered from two, with their ids', async () => {
    render(<RecordLinks text="sag" refs={['event:1', 'event:2', 'span:3']} />);
    await userEvent.click(screen.getByRole('button', { name: 'record 3: span:3' }));
    expect(selected()).toBe('span:3');
  });

  test('one record has no list beside it', () => {
    const { container } = render(<RecordLinks text="sag" refs={['event:1']} />);
    expect(container.textContent).toBe('sag');
  });

  test('what is beyond seven records is counted', () => {
    const refs = Array.from({ length: 10 }, (_, at) => `event:${at}`);
    const { container } = render(<RecordLinks text="sag" refs={['event:a', ...refs]} />);
    expect(screen.getAllByRole('button')).toHaveLength(7);
    expect(container.textContent?.endsWith('+4')).toBe(true);
  });
});

describe('chips of the entities that filter the views', () => {
  test('a click on one removes the filter', async () => {
    selectEntities(['gpu:1', 'gpu:2']);
    render(<EntityChips entities={['gpu:1', 'gpu:2']} />);
    await userEvent.click(screen.getByRole('button', { name: 'Remove the filter for gpu:2' }));
    expect(useFocus.getState().entities).toEqual([]);
  });

  test('many are one chip that counts them', async () => {
    const entities = ['gpu:1', 'gpu:2', 'gpu:3', 'gpu:4'];
    selectEntities(entities);
    render(<EntityChips entities={entities} />);
    const chip = screen.getByRole('button', { name: 'Remove the filter for 4 entities' });
    expect(chip.textContent).toContain('gpu:1');
    expect(chip.textContent).toContain('and 3 more');
    await userEvent.click(chip);
    expect(useFocus.getState().entities).toEqual([]);
  });
});

describe('markdown', () => {
  const show = (text: string) => {
    const onAnchor = vi.fn<(anchor: string) => void>();
    const { container } = render(<Markdown text={text} onAnchor={onAnchor} />);
    return { container, onAnchor };
  };

  test('headings, paragraphs, quotes, code and rules become what they are', () => {
    const { container } = show('## The *cause*\n\na **bold** `code`\n\n> quoted\n\n```\nx < y\n```\n\n---\n');
    expect(screen.getByRole('heading', { level: 2 }).textContent).toBe('The cause');
    expect(container.querySelector('p strong')?.textContent).toBe('bold');
    expect(container.querySelector('p code')?.textContent).toBe('code');
    expect(container.querySelector('blockquote')?.textContent).toBe('quoted');
    expect(container.querySelector('pre')?.textContent).toBe('x < y');
    expect(screen.getByRole('separator')).toBeTruthy();
  });

  test('lists nest, and a numbered one keeps its first number', () => {
    const { container } = show('3. three\n   - inside\n4. four\n');
    expect(container.querySelector('ol')?.getAttribute('start')).toBe('3');
    expect(container.querySelector('ol li ul li')?.textContent).toBe('inside');
  });

  test('a table has heads, and columns of numbers on the right', () => {
    show('| node | W |\n| --- | ---: |\n| a | 900 |\n| b | 80 |\n');
    const table = screen.getByRole('table');
    expect(within(table).getAllByRole('columnheader')).toHaveLength(2);
    expect(within(table).getByRole('cell', { name: '900' }).className).toBe('number');
    expect(within(table).getByRole('cell', { name: 'a' }).className).toBe('');
  });

  test('a link inside the document is followed by its anchor, one that leads out is only text', async () => {
    const { container, onAnchor } = show('[the chain](#chain) and [out](https://example.org/)');
    await userEvent.click(screen.getByRole('button', { name: 'the chain' }));
    expect(onAnchor.mock.calls).toEqual([['chain']]);
    expect(container.querySelector('a')).toBeNull();
    expect(screen.getByText('out').title).toBe('https://example.org/');
  });

  test('HTML in a text stays text', () => {
    const { container } = show('<img src=x onerror=alert(1)> and \u202e');
    expect(container.querySelector('img')).toBeNull();
    expect(container.textContent).toContain('<img src=x onerror=alert(1)> and \\u202e');
  });
});
