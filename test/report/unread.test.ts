import { expect, test, vi } from 'vitest';
import { fail } from '../../src/model/problem.ts';
import { incidentCase } from '../bundle/bundle-case.ts';

/** Records of measurements of this case cannot be read. */
vi.mock('../../src/core/api/evidence/evidence.ts', async (original) => {
  const real = await original<typeof import('../../src/core/api/evidence/evidence.ts')>();
  const readEvidence: typeof real.readEvidence = (opened, ref) =>
    ref.startsWith('measurement:')
      ? fail('evidence.unknown', `there is no evidence ${ref}`)
      : real.readEvidence(opened, ref);
  return { ...real, readEvidence };
});

test('a record that cannot be read ends no report: it is counted, and stands where it is cited with why', async () => {
  const core = await incidentCase('pdu-sag');
  const { document } = await core.api['report.document']({});
  const unread = document.evidence.filter(({ kind }) => kind === 'unread');
  expect(unread.length).toBeGreaterThan(0);
  expect(unread.every(({ ref, title }) => title === `could not be read: there is no evidence ${ref}`)).toBe(true);
  expect(document.evidence.length).toBeGreaterThan(unread.length);
  for (const format of ['markdown', 'html', 'json'] as const) {
    const { text } = await core.api['report.render']({ format });
    expect(text).toContain('Records that could not be read');
    expect(text).toContain(`${unread.length} cited record${unread.length === 1 ? '' : 's'} could not be read:`);
  }
  const { text } = await core.api['report.render']({ template: '{{unread}}' });
  expect(text).toContain('could not be read: there is no evidence measurement:inference@');
});
