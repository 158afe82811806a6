import { expect, test } from 'vitest';
import { nanos } from '../../src/model/time.ts';
import { csvFileName, sheetCsv, sheetTabs, shownCell } from '../../src/renderer/draw/tables/sheet.ts';

const sheet = {
  names: ['name', 'began', 'lines'],
  rows: [
    ['=HYPERLINK("x")', { instant: nanos(1_767_225_600_000_000_001n) }, 1694],
    ['two\nlines, a\ttab', null, -1],
    ['', { instant: nanos(-1n) }, 5n],
  ],
} as const;

test('a table as CSV: full times, plain numbers, texts that no spreadsheet runs', () => {
  expect(sheetCsv(sheet)).toBe(
    'name,began,lines\r\n"\'=HYPERLINK(""x"")",2026-01-01T00:00:00.000000001Z,1694\r\n' +
      '"two\nlines, a\ttab",,-1\r\n"",1969-12-31T23:59:59.999999999Z,5\r\n',
  );
});

test('a table with tabs: newlines and tabs within a cell stay within it', () => {
  expect(sheetTabs(sheet).split('\n')[1]).toBe('"\'=HYPERLINK(""x"")"\t2026-01-01T00:00:00.000000001Z\t1694');
  expect(sheetTabs(sheet)).toContain('"two\nlines, a\ttab"\t\t-1');
});

test('digits become a number, whatever separates the thousands; units stay', () => {
  expect(shownCell('1\u202f694', true)).toBe(1694);
  expect(shownCell('−3.5', true)).toBe(-3.5);
  expect(shownCell('3.5 ms', true)).toBe('3.5 ms');
  expect(shownCell('1694', false)).toBe('1694');
  expect(shownCell('', true)).toBeNull();
});

test('a file is named after its case and table, in characters that every system accepts', () => {
  expect(csvFileName('Night of the PDU/3', 'Log templates')).toBe('night-of-the-pdu-3-log-templates.csv');
  expect(csvFileName('', '…')).toBe('table.csv');
});
