// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Splitter, type SplitterProps } from '../../../src/renderer/widgets/splitter.tsx';
import { TabList } from '../../../src/renderer/widgets/tab-list.tsx';
import { recordWindowKeys, windowKeys } from './window-keys.ts';

recordWindowKeys();
afterEach(cleanup);

const tabs = (['events', 'spans', 'logs'] as const).map((id) => ({ id, title: id.toUpperCase() }));

function Tabs() {
  const [selected, select] = useState<(typeof tabs)[number]['id']>('events');
  return <TabList label="Tables" tabs={tabs} selected={selected} onSelect={select} />;
}

describe('tabs', () => {
  const selected = () => screen.getByRole('tab', { selected: true }).textContent;

  test('a click selects', async () => {
    render(<Tabs />);
    expect(screen.getByRole('tablist', { name: 'Tables' })).toBeTruthy();
    expect(selected()).toBe('EVENTS');
    await userEvent.click(screen.getByRole('tab', { name: 'LOGS' }));
    expect(selected()).toBe('LOGS');
  });

  test('arrows select the neighbour, round the ends, and take the focus along', async () => {
    render(<Tabs />);
    screen.getByRole('tab', { name: 'EVENTS' }).focus();
    await userEvent.keyboard('{ArrowRight}');
    expect([selected(), document.activeElement?.textContent]).toEqual(['SPANS', 'SPANS']);
    await userEvent.keyboard('{ArrowLeft}{ArrowLeft}');
    expect([selected(), document.activeElement?.textContent]).toEqual(['LOGS', 'LOGS']);
    expect(windowKeys).toEqual([]);
  });

  test('Tab stops at the selected one only', async () => {
    render(<Tabs />);
    await userEvent.tab();
    expect(document.activeElement?.textContent).toBe('EVENTS');
    await userEvent.tab();
    expect(document.activeElement).toBe(document.body);
  });
});

describe('the edge between two panes', () => {
  const show = (props: Partial<SplitterProps> = {}) => {
    const onChange = vi.fn<(value: number) => void>();
    render(
      <Splitter
        label="Width"
        orientation="vertical"
        value={300}
        min={260}
        max={320}
        onChange={(value) => onChange(value)}
        {...props}
      />,
    );
    return { edge: screen.getByRole('separator', { name: 'Width' }), changes: () => onChange.mock.calls.flat() };
  };

  test('states its place and limits', () => {
    const { edge } = show();
    expect(['now', 'min', 'max'].map((name) => edge.getAttribute(`aria-value${name}`))).toEqual(['300', '260', '320']);
  });

  test('arrows along the axis move it in steps, within its limits', async () => {
    const { edge, changes } = show();
    edge.focus();
    await userEvent.keyboard('{ArrowRight}{ArrowLeft}{ArrowUp}');
    expect(changes()).toEqual([316, 284]);
    expect(windowKeys).toEqual(['ArrowUp']);
    cleanup();
    const near = show({ value: 315 });
    near.edge.focus();
    await userEvent.keyboard('{ArrowRight}');
    expect(near.changes()).toEqual([320]);
  });

  test('a right pane grows to the left, a lower one upwards', async () => {
    const right = show({ reverse: true });
    right.edge.focus();
    await userEvent.keyboard('{ArrowLeft}');
    expect(right.changes()).toEqual([316]);
    cleanup();
    const lower = show({ reverse: true, orientation: 'horizontal' });
    lower.edge.focus();
    await userEvent.keyboard('{ArrowUp}');
    expect(lower.changes()).toEqual([316]);
  });

  test('the pointer drags it until it lets go', () => {
    const { edge, changes } = show();
    fireEvent.pointerDown(edge, { pointerId: 1, clientX: 500 });
    fireEvent.pointerMove(edge, { pointerId: 1, clientX: 490 });
    fireEvent.pointerMove(edge, { pointerId: 1, clientX: 400 });
    fireEvent.lostPointerCapture(edge, { pointerId: 1 });
    fireEvent.pointerMove(edge, { pointerId: 1, clientX: 505 });
    expect(changes()).toEqual([290, 260]);
  });
});
