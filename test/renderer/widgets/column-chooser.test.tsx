// @vitest-environment happy-dom
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, test } from 'vitest';
import { ColumnChooser } from '../../../src/renderer/widgets/column-chooser.tsx';
import { recordWindowKeys, windowKeys } from './window-keys.ts';

const columns = ['ref', 'time', 'source'].map((id) => ({ id, title: `the ${id}` }));

function Chooser({ start }: { readonly start: readonly string[] }) {
  const [hidden, setHidden] = useState(start);
  return (
    <>
      <ColumnChooser columns={columns} hidden={hidden} onChange={setHidden} />
      <output>{hidden.join(' ')}</output>
      <button type="button">elsewhere</button>
    </>
  );
}

async function open(start: readonly string[] = []) {
  render(<Chooser start={start} />);
  await userEvent.click(button());
  await waitFor(() => expect(document.activeElement?.tagName).toBe('INPUT'));
}

const button = () => screen.getByRole('button', { name: /^Columns/ });
const box = (name: string): HTMLInputElement => screen.getByRole('checkbox', { name: `the ${name}` });
const closed = () => waitFor(() => expect(screen.queryByRole('group')).toBeNull());
const hidden = () => screen.getByRole('status').textContent;

recordWindowKeys();
afterEach(cleanup);

test('opens with the first column focused; its button counts the columns shown', async () => {
  await open(['time']);
  expect(within(screen.getByRole('group', { name: 'Columns shown' })).getAllByRole('checkbox')).toHaveLength(3);
  expect(document.activeElement).toBe(box('ref'));
  expect([box('ref').checked, box('time').checked]).toEqual([true, false]);
  expect(button().textContent).toBe('Columns (2 of 3)');
});

test('Space and a click on the name hide and show a column', async () => {
  await open();
  await userEvent.keyboard(' ');
  expect(hidden()).toBe('ref');
  await userEvent.click(screen.getByText('the time'));
  expect(hidden()).toBe('ref time');
  await userEvent.keyboard(' ');
  expect(hidden()).toBe('ref');
});

test('the last column shown cannot be hidden', async () => {
  await open(['ref', 'time']);
  expect(box('source').disabled).toBe(true);
  await userEvent.click(screen.getByText('the source'));
  expect(hidden()).toBe('ref time');
});

test('arrows move among the columns and the button below, and round the ends', async () => {
  await open(['time']);
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  expect(document.activeElement).toBe(box('source'));
  await userEvent.keyboard('{ArrowDown}');
  expect(document.activeElement?.textContent).toBe('Show all');
  await userEvent.keyboard('{ArrowDown}');
  expect(document.activeElement).toBe(box('ref'));
  await userEvent.keyboard('{ArrowUp}');
  expect(document.activeElement?.textContent).toBe('Show all');
});

test('Tab moves on to the next column', async () => {
  await open();
  await userEvent.keyboard('{Tab}');
  expect(document.activeElement).toBe(box('time'));
});

test('"Show all" shows every column again', async () => {
  await open(['ref', 'source']);
  await userEvent.click(screen.getByRole('button', { name: 'Show all' }));
  expect(hidden()).toBe('');
  expect(screen.getByRole('button', { name: 'Show all' })).toHaveProperty('disabled', true);
});

test('Escape closes it, returns the focus, and is no key of the window', async () => {
  await open();
  await userEvent.keyboard('{Escape}');
  await closed();
  expect(document.activeElement).toBe(button());
  expect(windowKeys).not.toContain('Escape');
});

test('a click outside closes it', async () => {
  await open();
  await userEvent.click(screen.getByRole('button', { name: 'elsewhere' }));
  await closed();
  expect(document.activeElement?.textContent).toBe('elsewhere');
});
