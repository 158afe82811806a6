import { expect, test } from 'vitest';
import { renderTimeline } from '../../src/core/report/timeline-text.ts';

test('a report without an incident states what was compared, whether or not anything was measured', () => {
  const report = { generated_at: '2026-05-01T14:00:00.000Z', incidents: [], warnings: ['no measured service'] };
  const text = renderTimeline(report);
  // Times to the first token, and waits of collectives, are no durations of requests or steps.
  expect(text).toMatch(/took longer, failed more often or did less than its own baseline/);
  expect(text).not.toMatch(/no measured service was/);
  expect(text).toContain('warning: no measured service');
});
