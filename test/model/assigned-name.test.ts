import { expect, test } from 'vitest';
import { assignedName } from '../../src/model/incident/assigned-name.ts';

test.each(['GPU-00000000-0000-0000-0000-000000000000', 'MIG-00000000', '00000000-0000-0000-0000-000000000000', 'N/A'])(
  '%s is the name of nothing',
  (text) => expect(assignedName(text)).toBe(''),
);

test.each(['gpu-0', 'gpu-00', 'GPU-0', 'mig-0', 'node-0', 'gpu-07'])('%s is a name', (text) =>
  expect(assignedName(text)).toBe(text),
);
