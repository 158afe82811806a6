// @vitest-environment happy-dom
import { act, cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { notify, showError, useToasts } from '../../../src/renderer/state/toasts.ts';
import { LikelihoodBadge } from '../../../src/renderer/widgets/likelihood-badge.tsx';
import { LongText } from '../../../src/renderer/widgets/long-text.tsx';
import { ProblemNote } from '../../../src/renderer/widgets/problem-note.tsx';
import { Progress } from '../../../src/renderer/widgets/progress.tsx';
import { ToastList } from '../../../src/renderer/widgets/toast-list.tsx';

const problem = { code: 'file.unknown_format', message: 'no importer knows it', hint: 'name the format' };

afterEach(() => {
  cleanup();
  useToasts.setState({ toasts: [] });
  vi.useRealTimers();
});

describe('a problem', () => {
  test('names the part that failed, the reason and what to do', () => {
    render(<ProblemNote problem={problem} what="The search" />);
    const alert = screen.getByRole('alert');
    expect(alert.textContent).toContain('The search: no importer knows it');
    expect(alert.textContent).toContain('name the format');
    expect(within(alert).queryByRole('button', { name: 'Try again' })).toBeNull();
  });

  test('can be tried again, under a name of its own', async () => {
    const onRetry = vi.fn();
    render(<ProblemNote problem={problem} onRetry={onRetry} retry="Read it again" />);
    await userEvent.click(screen.getByRole('button', { name: 'Read it again' }));
    expect(onRetry).toHaveBeenCalledOnce();
  });

  test('its details can be copied, with the code', async () => {
    const user = userEvent.setup();
    render(<ProblemNote problem={{ ...problem, place: 'a.docx' }} />);
    await user.click(screen.getByRole('button', { name: 'Copy details' }));
    const copied = await navigator.clipboard.readText();
    expect(copied.split('\n')[0]).toBe('file.unknown_format: no importer knows it');
    expect(copied).toContain('a.docx');
    expect(copied).toContain('name the format');
  });

  test('signs that turn the text around are shown, not obeyed', () => {
    render(<ProblemNote problem={{ ...problem, message: 'bad \u202ename' }} />);
    expect(screen.getByRole('alert').textContent).toContain('bad \\u202ename');
  });
});

describe('progress', () => {
  const bar = (): HTMLProgressElement => screen.getByRole('progressbar', { name: 'Reading' });

  test('with a total it shows the part done, at most all', () => {
    render(<Progress label="Reading" done={7} total={10} />);
    expect([bar().value, bar().max]).toEqual([7, 10]);
    cleanup();
    render(<Progress label="Reading" done={12} total={10} />);
    expect(bar().value).toBe(10);
  });

  test('without a total it only shows that there is work', () => {
    render(<Progress label="Reading" />);
    expect(bar().hasAttribute('value')).toBe(false);
    expect(screen.getByText('Reading')).toBeTruthy();
  });
});

test.each([
  [0.98, '0.98 likely'],
  [0.52, '0.52 undecided'],
  [0.1, '0.10 unlikely'],
])('a probability of %d has a word beside its number', (probability, text) => {
  const { container } = render(<LikelihoodBadge probability={probability} />);
  expect(container.textContent).toBe(text);
});

test('a very long text is cut, counted, and one click away', async () => {
  const { container } = render(<LongText text={`${'a'.repeat(20_000)}${'b'.repeat(1234)}`} />);
  expect(container.textContent).not.toContain('b');
  await userEvent.click(screen.getByRole('button', { name: /^1\D?234 more characters$/ }));
  expect(container.textContent?.endsWith('b'.repeat(1234))).toBe(true);
});

describe('notifications', () => {
  test('an error stays until it is dismissed', async () => {
    render(<ToastList />);
    act(() => showError(problem));
    act(() => showError({ code: 'other', message: 'another one' }));
    const [first] = within(screen.getByRole('list', { name: 'Notifications' })).getAllByRole('listitem');
    await userEvent.click(within(first!).getByRole('button', { name: 'Dismiss' }));
    expect(screen.queryByText(/no importer/)).toBeNull();
    expect(screen.getByText(/another one/)).toBeTruthy();
  });

  test('a notice disappears by itself', () => {
    vi.useFakeTimers();
    render(<ToastList />);
    act(() => notify('copied'));
    expect(screen.getByText('copied')).toBeTruthy();
    act(() => vi.advanceTimersByTime(5000));
    expect(screen.queryByText('copied')).toBeNull();
  });

  test('of many only the newest four stay', () => {
    render(<ToastList />);
    act(() => {
      for (const n of [1, 2, 3, 4, 5]) showError({ code: 'x', message: `failure ${n}` });
    });
    expect(screen.getAllByRole('alert').map(({ textContent }) => /failure \d/.exec(textContent ?? '')?.[0])).toEqual([
      'failure 2',
      'failure 3',
      'failure 4',
      'failure 5',
    ]);
  });
});

test('a notice with a way back offers it once', async () => {
  const run = vi.fn();
  render(<ToastList />);
  act(() => notify('imported', { title: 'Undo import', run }));
  await userEvent.click(screen.getByRole('button', { name: 'Undo import' }));
  expect(run).toHaveBeenCalledOnce();
  expect(screen.queryByText('imported')).toBeNull();
});
