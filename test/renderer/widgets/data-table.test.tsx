// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { useActionMenu } from '../../../src/renderer/state/action-menu.ts';
import { ActionMenu } from '../../../src/renderer/widgets/action-menu.tsx';
import { type Column, DataTable, type DataTableProps } from '../../../src/renderer/widgets/data-table.tsx';

interface Node {
  readonly name: string;
  readonly watts: number;
}

const columns: readonly Column<Node>[] = [
  { id: 'name', title: 'node', width: '120px', cell: ({ name }) => name, sort: ({ name }) => name },
  { id: 'watts', title: 'power', width: '80px', numeric: true, cell: ({ watts }) => watts, sort: ({ watts }) => watts },
  { id: 'act', title: 'act', width: '80px', sheet: null, cell: () => <button type="button">Act</button> },
];
const nodes: readonly Node[] = [
  { name: 'node-b', watts: 900 },
  { name: 'node-a', watts: 1000 },
  { name: 'node-c', watts: 80 },
];

const show = (props: Partial<DataTableProps<Node>> = {}) =>
  render(
    <>
      <DataTable<Node>
        label="Nodes"
        columns={columns}
        rows={nodes}
        keyOf={({ name }) => name}
        empty="No nodes."
        {...props}
      />
      <ActionMenu />
    </>,
  );

const rows = () =>
  within(screen.getByRole('table', { name: 'Nodes' }))
    .getAllByRole('row')
    .slice(1);
const names = () => rows().map((row) => within(row).getAllByRole('cell')[0]?.textContent);
const head = (name: string) => screen.getByRole('columnheader', { name: new RegExp(`^${name}`) });
const press = (name: string) => userEvent.click(within(head(name)).getByRole('button'));

beforeEach(() => {
  // Nothing has a size here: ten rows fit.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(200);
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(600);
});
afterEach(() => {
  cleanup();
  useActionMenu.setState({ open: null });
  vi.restoreAllMocks();
});

describe('order', () => {
  test('a click on a header sorts upwards, then downwards, then not at all', async () => {
    show();
    expect(names()).toEqual(['node-b', 'node-a', 'node-c']);
    expect(head('node').getAttribute('aria-sort')).toBe('none');
    await press('node');
    expect(names()).toEqual(['node-a', 'node-b', 'node-c']);
    expect(head('node').getAttribute('aria-sort')).toBe('ascending');
    await press('node');
    expect(names()).toEqual(['node-c', 'node-b', 'node-a']);
    expect(head('node').getAttribute('aria-sort')).toBe('descending');
    await press('node');
    expect(names()).toEqual(['node-b', 'node-a', 'node-c']);
    expect(head('node').getAttribute('aria-sort')).toBe('none');
  });

  test('numbers sort as numbers, from the smallest', async () => {
    show();
    await press('power');
    expect(names()).toEqual(['node-c', 'node-b', 'node-a']);
  });

  test('another header takes over, also with Shift', async () => {
    show();
    await press('power');
    fireEvent.click(within(head('node')).getByRole('button'), { shiftKey: true });
    expect(head('power').getAttribute('aria-sort')).toBe('none');
    expect(names()).toEqual(['node-a', 'node-b', 'node-c']);
  });

  test('equal rows keep their order in both directions', async () => {
    show({ rows: nodes.map(({ name }) => ({ name, watts: 1 })) });
    await press('power');
    await press('power');
    expect(names()).toEqual(['node-b', 'node-a', 'node-c']);
  });

  test('a column without a sort key has no button', () => {
    show();
    expect(within(head('act')).queryByRole('button')).toBeNull();
  });

  test('new rows are sorted as the old ones', async () => {
    const { rerender } = show();
    await press('node');
    rerender(
      <DataTable<Node>
        label="Nodes"
        columns={columns}
        rows={[{ name: 'node-z', watts: 1 }, ...nodes]}
        keyOf={({ name }) => name}
        empty="No nodes."
      />,
    );
    expect(names()).toEqual(['node-a', 'node-b', 'node-c', 'node-z']);
  });
});

/** A table whose rows follow the text in the first field. */
function Filtered() {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const found = nodes.filter(({ name }) => name.includes(texts['name'] ?? ''));
  return (
    <DataTable<Node>
      label="Nodes"
      columns={columns}
      rows={found}
      keyOf={({ name }) => name}
      empty="No nodes."
      filters={{ texts, onChange: (column, text) => setTexts((before) => ({ ...before, [column]: text })) }}
    />
  );
}

describe('filters', () => {
  test('each column has a field, and what is typed narrows the rows', async () => {
    render(<Filtered />);
    expect(screen.getAllByRole('textbox')).toHaveLength(3);
    await userEvent.type(screen.getByRole('textbox', { name: 'Filter by node' }), '-c');
    expect(screen.getByRole('textbox', { name: 'Filter by node' })).toHaveProperty('value', '-c');
    expect(screen.queryByText('node-a')).toBeNull();
    expect(screen.getByText('node-c')).toBeTruthy();
  });

  test('the row of filters counts as a row', async () => {
    render(<Filtered />);
    expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('5');
    expect(screen.getByText('node-b').closest('tr')?.getAttribute('aria-rowindex')).toBe('3');
  });

  test('without a match the table states it', async () => {
    render(<Filtered />);
    await userEvent.type(screen.getByRole('textbox', { name: 'Filter by node' }), 'none');
    expect(screen.getByText('No nodes.')).toBeTruthy();
  });
});

describe('keys and mouse', () => {
  const actionsOf = (run: (name: string) => void) => (row: Node) => ({
    label: row.name,
    actions: [{ id: 'drain', title: 'Drain', keys: 'D', run: () => run(row.name) }],
  });

  test('arrows move the focus from row to row and stop at the ends', async () => {
    show({ onSelect: () => undefined });
    rows()[0]?.focus();
    await userEvent.keyboard('{ArrowDown}{ArrowDown}');
    expect(document.activeElement).toBe(rows()[2]);
    await userEvent.keyboard('{ArrowDown}');
    expect(document.activeElement).toBe(rows()[2]);
    await userEvent.keyboard('{ArrowUp}{ArrowUp}{ArrowUp}');
    expect(document.activeElement).toBe(rows()[0]);
  });

  test('Enter, Space and a click select the row', async () => {
    const onSelect = vi.fn();
    show({ onSelect });
    rows()[1]?.focus();
    await userEvent.keyboard('{Enter}');
    rows()[2]?.focus();
    await userEvent.keyboard(' ');
    await userEvent.click(screen.getByText('node-b'));
    expect(onSelect.mock.calls.map(([row]) => row.name)).toEqual(['node-a', 'node-c', 'node-b']);
  });

  test('Enter on a button in a row belongs to the button', async () => {
    const onSelect = vi.fn();
    show({ onSelect });
    const button = within(rows()[0]!).getByRole('button');
    button.focus();
    fireEvent.keyDown(button, { key: 'Enter' });
    expect(onSelect).not.toHaveBeenCalled();
  });

  test('the selected row is marked', () => {
    show({ selected: 'node-a' });
    expect(rows().map((row) => row.getAttribute('aria-current'))).toEqual(['false', 'true', 'false']);
  });

  test('`.` opens the actions of the focused row, and a letter runs one without the menu', async () => {
    const run = vi.fn();
    show({ onSelect: () => undefined, actionsOf: actionsOf(run) });
    rows()[1]?.focus();
    await userEvent.keyboard('d');
    expect(run.mock.calls).toEqual([['node-a']]);
    await userEvent.keyboard('.');
    expect(await screen.findByRole('menu', { name: 'Actions for node-a' })).toBeTruthy();
  });

  test('right-click opens the actions of the row under the pointer', async () => {
    const run = vi.fn();
    show({ onSelect: () => undefined, actionsOf: actionsOf(run) });
    fireEvent.contextMenu(rows()[2]!, { clientX: 40, clientY: 40 });
    await userEvent.click(await screen.findByRole('menuitem', { name: /^Drain/ }));
    expect(run.mock.calls).toEqual([['node-c']]);
  });
});

describe('many rows', () => {
  const many = Array.from({ length: 100_000 }, (_, at) => ({ name: `node-${at}`, watts: at }));
  const scroller = () => screen.getByRole('table').parentElement!;

  test('of 100,000 rows only those on screen exist, and scrolling shows others', () => {
    show({ rows: many });
    expect(rows().length).toBeLessThan(50);
    expect(names().slice(0, 10)).toEqual(many.slice(0, 10).map(({ name }) => name));
    scroller().scrollTop = 1_000_000;
    fireEvent.scroll(scroller());
    expect(rows().length).toBeLessThan(50);
    expect(screen.queryByText('node-0')).toBeNull();
    expect(screen.getByText('node-50000').closest('tr')?.getAttribute('aria-rowindex')).toBe('50002');
    expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('100001');
  });

  test('the last of 100,000 rows in descending order is the first one', async () => {
    show({ rows: many });
    await press('power');
    await press('power');
    expect(names()[0]).toBe('node-99999');
  });
});

describe('export', () => {
  test('copies the rows in their order on screen, without the columns that are no data', async () => {
    const user = userEvent.setup();
    show();
    await user.click(within(head('node')).getByRole('button'));
    await user.click(screen.getByRole('button', { name: 'CSV' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Copy for a spreadsheet' }));
    expect(await navigator.clipboard.readText()).toBe('node\tpower\nnode-a\t1000\nnode-b\t900\nnode-c\t80');
  });

  test('an empty table and a form have no export', () => {
    const { unmount } = show({ rows: [] });
    expect(screen.queryByRole('button', { name: 'CSV' })).toBeNull();
    unmount();
    show({ isForm: true });
    expect(screen.queryByRole('button', { name: 'CSV' })).toBeNull();
  });
});

test('a table that is wider than its place ends with a whole row above its scroll bar', () => {
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(100);
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(211);
  show();
  const scroll = screen.getByRole('table', { name: 'Nodes' }).parentElement;
  // The heads, the line of the menu, and the scroll bar.
  expect(scroll?.style.getPropertyValue('--around')).toBe(`${24 + 24 + 11}px`);
});
