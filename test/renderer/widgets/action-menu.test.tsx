// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openActionMenu, useActionMenu } from '../../../src/renderer/state/action-menu.ts';
import { ActionMenu, withActions } from '../../../src/renderer/widgets/action-menu.tsx';
import { recordWindowKeys, windowKeys } from './window-keys.ts';

const run = vi.fn<(id: string) => void>();
const target = (label: string) => ({
  label,
  actions: [
    { id: 'details', title: 'Show details', keys: 'Enter', run: () => run(`details of ${label}`) },
    { id: 'zoom', title: 'Zoom to it', keys: 'Z', note: 'event:8', run: () => run(`zoom to ${label}`) },
    { id: 'ignore', title: 'Ignore it', keys: 'X', disabled: true, run: () => run(`ignore ${label}`) },
  ],
});

function show() {
  render(
    <>
      <ul>
        <li data-testid="one" {...withActions(() => target('one'))}>
          <button type="button">one</button>
        </li>
        <li data-testid="two" {...withActions(() => target('two'))}>
          <button type="button">two</button>
        </li>
        <li data-testid="none" {...withActions(() => null)}>
          <button type="button">none</button>
        </li>
      </ul>
      <ActionMenu />
    </>,
  );
}

const button = (name: string) => screen.getByRole('button', { name });
const menuOf = (label: string) => screen.findByRole('menu', { name: `Actions for ${label}` });
const closed = () => waitFor(() => expect(screen.queryByTestId('action-menu')).toBeNull());
const firstFocused = () =>
  waitFor(() => expect(document.activeElement).toBe(screen.getByRole('menuitem', { name: /^Show details/ })));

recordWindowKeys();
afterEach(() => {
  cleanup();
  useActionMenu.setState({ open: null });
  run.mockClear();
  window.getSelection()?.removeAllRanges();
  vi.restoreAllMocks();
});

describe('the action menu', () => {
  test('opens by right-click with the name, the actions, their notes and shortcuts', async () => {
    show();
    fireEvent.contextMenu(screen.getByTestId('one'), { clientX: 10, clientY: 10 });
    expect((await menuOf('one')).textContent).toContain('one');
    expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual([
      'Show detailsEnter',
      'Zoom to itevent:8Z',
      'Ignore itX',
    ]);
    await firstFocused();
  });

  test('opens by `.` on the focused element', async () => {
    show();
    button('two').focus();
    await userEvent.keyboard('.');
    expect(await menuOf('two')).toBeTruthy();
    expect(windowKeys).not.toContain('.');
  });

  test('opens by the menu key, which has no place of its own', async () => {
    show();
    fireEvent.contextMenu(screen.getByTestId('one'), { clientX: 0, clientY: 0 });
    expect(await menuOf('one')).toBeTruthy();
  });

  test('does not open without actions, nor over marked text, where the menu of the system is better', () => {
    show();
    expect(fireEvent.contextMenu(screen.getByTestId('none'), { clientX: 10, clientY: 10 })).toBe(true);
    window.getSelection()?.selectAllChildren(screen.getByTestId('one'));
    expect(fireEvent.contextMenu(screen.getByTestId('one'), { clientX: 10, clientY: 10 })).toBe(true);
    expect(screen.queryByTestId('action-menu')).toBeNull();
  });

  test('a shortcut works without the menu, unless its action is disabled', async () => {
    show();
    button('one').focus();
    await userEvent.keyboard('zx');
    expect(run.mock.calls).toEqual([['zoom to one']]);
    expect(windowKeys).toEqual(['x']);
  });

  test('a shortcut with Control is no action', async () => {
    show();
    button('one').focus();
    await userEvent.keyboard('{Control>}z{/Control}');
    expect(run).not.toHaveBeenCalled();
  });

  test.each(['Escape', 'Tab'])('%s closes it, returns the focus, and is no key of the window', async (key) => {
    show();
    button('two').focus();
    await userEvent.keyboard('.');
    await firstFocused();
    await userEvent.keyboard(`{${key}}`);
    await closed();
    await waitFor(() => expect(document.activeElement).toBe(button('two')));
    expect(windowKeys).not.toContain(key);
  });

  test('after a right-click on an element that takes no focus, its button gets it back', async () => {
    show();
    fireEvent.contextMenu(screen.getByTestId('two'), { clientX: 10, clientY: 10 });
    await firstFocused();
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(document.activeElement).toBe(button('two')));
  });

  test('an action runs once, by click and by its shortcut, and the menu closes', async () => {
    show();
    button('one').focus();
    await userEvent.keyboard('.');
    await userEvent.click(await screen.findByRole('menuitem', { name: /^Zoom/ }));
    await closed();
    await userEvent.keyboard('.');
    await firstFocused();
    await userEvent.keyboard('z');
    await closed();
    expect(run.mock.calls).toEqual([['zoom to one'], ['zoom to one']]);
  });

  test('a right-click elsewhere opens the other menu instead', async () => {
    show();
    button('one').focus();
    await userEvent.keyboard('.');
    await firstFocused();
    await userEvent.pointer([{ keys: '[MouseRight]', target: button('two') }]);
    expect(await menuOf('two')).toBeTruthy();
    expect(screen.getAllByRole('menu')).toHaveLength(1);
  });

  test('closes when the view under it scrolls, not when the wheel turns over it', async () => {
    show();
    button('one').focus();
    await userEvent.keyboard('.');
    fireEvent.wheel(await menuOf('one'));
    expect(screen.getByTestId('action-menu')).toBeTruthy();
    fireEvent.wheel(screen.getByTestId('two'));
    await closed();
  });

  test('stays inside the window', async () => {
    show();
    const isMenu = (element: HTMLElement) => element.getAttribute('role') === 'region';
    vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockImplementation(function (this: HTMLElement) {
      return isMenu(this) ? 240 : 0;
    });
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockImplementation(function (this: HTMLElement) {
      return isMenu(this) ? 300 : 0;
    });
    const size = { clientWidth: { value: 1000 }, clientHeight: { value: 700 } };
    Object.defineProperties(document.documentElement, size);
    act(() => openActionMenu(target('corner'), { x: 990, y: 690 }, null));
    const place = (await menuOf('corner')).parentElement!.style;
    await waitFor(() => expect(place.transform).toBe('translate3d(756px,396px,0)'));
    act(() => openActionMenu(target('middle'), { x: 100, y: 200 }, null));
    const other = (await menuOf('middle')).parentElement!.style;
    await waitFor(() => expect(other.transform).toBe('translate3d(100px,200px,0)'));
  });
});

test('letters typed into a field within an element are text, not its shortcuts', async () => {
  run.mockClear();
  render(
    <div {...withActions(() => target('one'))}>
      <input aria-label="reason" />
    </div>,
  );
  await userEvent.type(screen.getByLabelText('reason'), 'zxz.');
  expect(screen.getByLabelText<HTMLInputElement>('reason').value).toBe('zxz.');
  expect(run).not.toHaveBeenCalled();
});
