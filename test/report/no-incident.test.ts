import { expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';
import { event } from '../support/scenario.ts';

test('where nothing is found the text states what was compared, and that nothing was measured', async () => {
  const core = await memoryCore();
  await core.importJson({ events: [event('e1', 10, 'redfish', 'psu_failover', 'server-1')] });
  const { text } = await core.api['correlate.render']({ format: 'timeline' });
  // Times to the first token, and waits of collectives, are no durations of requests or steps.
  expect(text).toMatch(/took longer, failed more often or did less than its own baseline/);
  expect(text).not.toContain('no measured service was');
  expect(text).toContain('warning: no measured service');
});
