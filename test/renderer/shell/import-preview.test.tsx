// @vitest-environment happy-dom
import { cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FoundItem } from '../../../src/model/contract/index.ts';
import { ImportPreview } from '../../../src/renderer/shell/import-preview.tsx';
import { idleImport, useImport } from '../../../src/renderer/state/import-state.ts';

vi.mock('../../../src/renderer/state/known.ts', async (original) => ({
  ...(await original<object>()),
  useApp: () => ({
    formats: [
      { id: 'application-log', title: 'Application log', leaves_open: ['zone', 'time', 'device'], has_columns: false },
    ],
  }),
}));

beforeEach(() => {
  // Nothing has a size here: ten rows fit.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(200);
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(600);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  useImport.setState(idleImport);
});

const found = (item: number, left_open: FoundItem['left_open']): FoundItem => ({
  item,
  name: `app-${item}.log`,
  format: 'application-log',
  files: 1,
  bytes: 100,
  paths: [`app-${item}.log`],
  captured_ns: null,
  captured_from: '',
  left_open,
});
const line = '05/01/2026 14:04:18 INFO first';
const open: FoundItem['left_open'] = {
  missing: ['zone'],
  line,
  readings: [
    { date_order: 'month-first', year: null, clock: '2026-05-01 14:04:18' },
    { date_order: 'day-first', year: null, clock: '2026-01-05 14:04:18' },
  ],
};
const closed: FoundItem['left_open'] = { missing: [], line: '', readings: [] };

test('an ambiguous date is shown in both orders, and the choice is kept', async () => {
  useImport.setState({ phase: 'choosing', found: [found(0, open), found(1, closed)], choices: {} });
  render(<ImportPreview />);
  const select = screen.getByLabelText('how to read the first time of app-0.log');
  expect(select.getAttribute('title')).toBe(line);
  expect(
    within(select)
      .getAllByRole('option')
      .map(({ textContent }) => textContent),
  ).toEqual(['2026-05-01 14:04:18, month first (guess)', '2026-01-05 14:04:18, day first']);
  expect(screen.queryByLabelText('how to read the first time of app-1.log')).toBeNull();
  expect(screen.getByLabelText('time zone of app-0.log')).toBeTruthy();
  expect(screen.queryByLabelText('time zone of app-1.log')).toBeNull();
  await userEvent.selectOptions(select, '2026-01-05 14:04:18, day first');
  expect(useImport.getState().choices[0]).toEqual({ date_order: 'day-first', year: null });
});

test('files that leave nothing open add no columns', () => {
  useImport.setState({ phase: 'choosing', found: [found(0, closed)], choices: {} });
  render(<ImportPreview />);
  expect(screen.getByText('app-0.log')).toBeTruthy();
  expect(screen.queryByText('first time')).toBeNull();
  expect(screen.queryByText('time zone')).toBeNull();
});

test('with a case open, the target is asked for, and the answer is kept', async () => {
  useImport.setState({
    phase: 'choosing',
    found: [found(0, closed)],
    choices: {},
    openCase: 'may-1',
    intoNewCase: false,
  });
  render(<ImportPreview />);
  expect(screen.getByRole<HTMLInputElement>('radio', { name: /^may-1, the open case/ }).checked).toBe(true);
  await userEvent.click(screen.getByRole('radio', { name: 'a new case' }));
  expect(useImport.getState().intoNewCase).toBe(true);
  cleanup();
  useImport.setState({ openCase: null });
  render(<ImportPreview />);
  expect(screen.queryByRole('radio')).toBeNull();
});
