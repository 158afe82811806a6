// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Output } from '../../../src/model/contract/index.ts';
import { createClient } from '../../../src/renderer/client/client.ts';
import { Palette } from '../../../src/renderer/shell/palette.tsx';
import { openPalette, useCase } from '../../../src/renderer/state/case-state.ts';
import { setClient } from '../../../src/renderer/state/client.ts';
import { useFocus } from '../../../src/renderer/state/focus.ts';
import { recordWindowKeys, windowKeys } from '../widgets/window-keys.ts';

const nothing: Output<'search'> = { entities: [], ids: [], events: [], spans: [], logs: [] };
const entity = (id: string) => ({
  key: `server:${id}`,
  kind: 'server' as const,
  id,
  name: id,
  what: '',
  layer: 'server' as const,
});
const search = vi.fn<(text: string) => Promise<Output<'search'>>>();
const [focus, shown] = [useFocus.getState(), useCase.getState()];

recordWindowKeys();
beforeEach(() => {
  search.mockResolvedValue({ ...nothing, entities: [entity('gpu-node-05'), entity('gpu-node-06')] });
  setClient(createClient({ call: async (_, input) => search((input as { text: string }).text) }, () => undefined));
});
afterEach(() => {
  cleanup();
  search.mockReset();
  useFocus.setState(focus, true);
  useCase.setState(shown, true);
});

function open(start = '') {
  render(<Palette />);
  act(() => openPalette(start));
  input().focus();
}

const input = (): HTMLInputElement => screen.getByRole('combobox', { name: /^Search entities/ });
const options = () => screen.queryAllByRole('option');
const current = () => screen.getByRole('option', { selected: true });
const titles = () => options().map((option) => option.children[1]?.textContent);
const closed = () => waitFor(() => expect(screen.queryByRole('combobox')).toBeNull());

describe('the palette', () => {
  test('is a combobox with its list, and all commands before anything is typed', () => {
    open();
    expect(input().getAttribute('aria-expanded')).toBe('true');
    expect(input().getAttribute('aria-controls')).toBe(screen.getByRole('listbox', { name: 'Results' }).id);
    expect(titles()).toContain('Fit all data');
    expect(search).not.toHaveBeenCalled();
  });

  test('arrows move the current choice, round the ends, while the focus stays in the field', async () => {
    open();
    await waitFor(() => expect(input().getAttribute('aria-activedescendant')).toBe(options()[0]?.id));
    await userEvent.keyboard('{ArrowDown}{ArrowDown}');
    expect(current()).toBe(options()[2]);
    expect(input().getAttribute('aria-activedescendant')).toBe(current().id);
    expect(document.activeElement).toBe(input());
    await userEvent.keyboard('{ArrowUp}{ArrowUp}{ArrowUp}');
    expect(current()).toBe(options().at(-1));
    await userEvent.keyboard('{ArrowDown}');
    expect(current()).toBe(options()[0]);
  });

  test('`>` searches commands by their words, and Enter runs the first', async () => {
    open('>');
    await userEvent.keyboard('show topo{Enter}');
    await closed();
    expect(useCase.getState().view).toBe('topology');
    expect(search).not.toHaveBeenCalled();
  });

  test('letters of a command in their order find it, after those that have the whole word', async () => {
    open('>');
    await userEvent.keyboard('tplgy');
    expect(titles()).toEqual(['Show Topology']);
  });

  test('each letter makes the first choice current again', async () => {
    open('>');
    await userEvent.keyboard('{ArrowDown}{ArrowDown}t');
    expect(current()).toBe(options()[0]);
    await userEvent.keyboard('heme{ArrowDown}');
    expect(current().textContent).toContain('Light theme');
  });

  test('a text finds entities first, then commands; Enter opens the current one', async () => {
    open();
    await userEvent.keyboard('gpu');
    await waitFor(() => expect(titles()).toEqual(['gpu-node-05', 'gpu-node-06', 'Show GPUs']));
    expect(options().map((option) => option.children[0]?.textContent)).toEqual(['Entities', '', 'Commands']);
    expect(search.mock.calls.at(-1)).toEqual(['gpu']);
    await userEvent.keyboard('{ArrowDown}{Enter}');
    await closed();
    expect(useFocus.getState().entities).toEqual(['server:gpu-node-06']);
    expect(useCase.getState().tab).toBe('details');
  });

  test('a click runs a choice', async () => {
    open('>');
    await userEvent.keyboard('show logs');
    await userEvent.click(screen.getByText('Show Logs'));
    await closed();
    expect(useCase.getState().view).toBe('logs');
  });

  test('without a match it states so', async () => {
    search.mockResolvedValue(nothing);
    open();
    await userEvent.keyboard('zzz');
    await waitFor(() => expect(screen.getByText('No results for “zzz”.')).toBeTruthy());
    expect(options()).toEqual([]);
    expect(input().hasAttribute('aria-activedescendant')).toBe(false);
  });

  test('a failed search is stated in place, and commands still work', async () => {
    search.mockRejectedValue(new Error('gone'));
    open();
    await userEvent.keyboard('logs');
    expect((await screen.findByRole('alert')).textContent).toContain('The search: gone');
    expect(titles()).toContain('Show Logs');
  });

  test('a key reaches the window once, from the field: its shortcuts stay silent', async () => {
    const targets: EventTarget[] = [];
    const listen = ({ target }: KeyboardEvent) => target && targets.push(target);
    window.addEventListener('keydown', listen);
    open('>');
    await userEvent.keyboard('{ArrowDown}{Enter}');
    window.removeEventListener('keydown', listen);
    expect(targets.every((target) => target instanceof HTMLInputElement)).toBe(true);
    expect(windowKeys).toEqual(['ArrowDown', 'Enter']);
  });

  test('closes with its dialog, and opens again with what the shortcut starts', async () => {
    open();
    fireEvent(screen.getByRole('dialog'), new Event('close'));
    await closed();
    act(() => openPalette('>'));
    expect(input().value).toBe('>');
  });
});
