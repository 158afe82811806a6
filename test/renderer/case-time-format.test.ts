import { expect, test } from 'vitest';
import { parseTime } from '../../src/model/time.ts';
import { resetFocus } from '../../src/renderer/state/focus.ts';
import { prefer } from '../../src/renderer/state/preferences.ts';
import { formatInstant, instantWidth, timeFormat } from '../../src/renderer/state/use-time-format.ts';

const at = parseTime('2026-03-14T23:58:02.412Z');

test('an instant shows the date only in a case of several days, and never with relative times', () => {
  prefer({ timeMode: 'utc' });
  resetFocus({ startNs: parseTime('2026-03-14T22:00:00Z'), endNs: parseTime('2026-03-14T23:59:00Z') });
  expect(formatInstant(at, timeFormat())).toBe('23:58:02.412');
  expect(instantWidth(timeFormat(), 92)).toBe('92px');
  resetFocus({ startNs: parseTime('2026-03-14T22:00:00Z'), endNs: parseTime('2026-03-15T00:10:00Z') });
  expect(formatInstant(at, timeFormat(), 0)).toBe('2026-03-14 23:58:02');
  expect(instantWidth(timeFormat(), 92)).toBe('164px');
  prefer({ timeMode: 'relative' });
  expect(formatInstant(at, timeFormat(), 1)).toBe('+1 h 58 m');
});
