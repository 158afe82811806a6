// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Menu } from '../../../src/renderer/widgets/menu.tsx';
import { recordWindowKeys, windowKeys } from './window-keys.ts';

const run = vi.fn<(id: string) => void>();
const item = (id: string, more: { readonly keys?: string; readonly disabled?: boolean } = {}) => ({
  id,
  title: `Do ${id}`,
  run: () => run(id),
  ...more,
});

async function open() {
  render(
    <>
      <Menu label="Case" items={[item('a', { disabled: true }), item('b', { keys: 'B' }), item('c'), item('d')]}>
        demo
      </Menu>
      <button type="button">elsewhere</button>
      <p>text</p>
    </>,
  );
  await userEvent.click(button());
  await focusOn('Do b');
}

const button = () => screen.getByRole('button', { name: 'demo' });
const focusOn = (name: string) =>
  waitFor(() => expect(document.activeElement).toBe(screen.getByRole('menuitem', { name: new RegExp(`^${name}`) })));
const closed = () => waitFor(() => expect(screen.queryByRole('menu')).toBeNull());

recordWindowKeys();
afterEach(() => {
  cleanup();
  run.mockClear();
});

describe('a menu', () => {
  test('opens by its button, with the first enabled item focused', async () => {
    await open();
    expect(screen.getByRole('menu', { name: 'Case' })).toBeTruthy();
    expect(button().getAttribute('aria-expanded')).toBe('true');
    expect(button().getAttribute('aria-haspopup')).toBe('menu');
    expect(screen.getByRole('menuitem', { name: 'Do a' })).toHaveProperty('disabled', true);
  });

  test('opens by Enter as well', async () => {
    await open();
    await userEvent.keyboard('{Escape}');
    await closed();
    await userEvent.keyboard('{Enter}');
    await focusOn('Do b');
  });

  test('arrows move over the enabled items and round the ends; Home and End go there', async () => {
    await open();
    await userEvent.keyboard('{ArrowUp}');
    await focusOn('Do d');
    await userEvent.keyboard('{ArrowDown}');
    await focusOn('Do b');
    await userEvent.keyboard('{ArrowDown}');
    await focusOn('Do c');
    await userEvent.keyboard('{End}');
    await focusOn('Do d');
    await userEvent.keyboard('{Home}');
    await focusOn('Do b');
  });

  test.each(['{Enter}', ' '])('%j runs the focused item, and the menu closes', async (key) => {
    await open();
    await userEvent.keyboard(`{ArrowDown}${key}`);
    await closed();
    expect(run.mock.calls).toEqual([['c']]);
    expect(document.activeElement).toBe(button());
  });

  test('a click runs an item once', async () => {
    await open();
    await userEvent.click(screen.getByRole('menuitem', { name: 'Do d' }));
    await closed();
    expect(run.mock.calls).toEqual([['d']]);
  });

  test('a disabled item does nothing', async () => {
    await open();
    fireEvent.click(screen.getByRole('menuitem', { name: 'Do a' }));
    expect(run).not.toHaveBeenCalled();
    expect(screen.getByRole('menu')).toBeTruthy();
  });

  test('the shortcut that an item shows runs it', async () => {
    await open();
    expect(screen.getByRole('menuitem', { name: /^Do b/ }).getAttribute('aria-keyshortcuts')).toBe('B');
    await userEvent.keyboard('b');
    await closed();
    expect(run.mock.calls).toEqual([['b']]);
    expect(windowKeys).not.toContain('b');
  });

  test.each(['Escape', 'Tab'])('%s closes it, returns the focus, and is no key of the window', async (key) => {
    await open();
    await userEvent.keyboard(`{${key}}`);
    await closed();
    expect(document.activeElement).toBe(button());
    expect(windowKeys).not.toContain(key);
    expect(run).not.toHaveBeenCalled();
  });

  test('a click outside closes it and keeps the focus there', async () => {
    await open();
    await userEvent.click(screen.getByRole('button', { name: 'elsewhere' }));
    await closed();
    expect(document.activeElement?.textContent).toBe('elsewhere');
  });

  test('a click on plain text closes it too', async () => {
    await open();
    await userEvent.click(screen.getByText('text'));
    await closed();
  });

  test('its button closes it', async () => {
    await open();
    await userEvent.click(button());
    await closed();
    expect(button().getAttribute('aria-expanded')).toBe('false');
  });
});
