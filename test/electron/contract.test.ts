import { existsSync } from 'node:fs';
import { describe, it } from 'vitest';
import { connectionChecks } from './checks/connection.ts';
import { fileChecks } from './checks/files.ts';
import { checkGroups } from './checks/index.ts';
import { builtPreload, projectSources } from './harness.ts';
import { runCheck } from './run-check.ts';

describe.each(Object.entries(checkGroups))('the desktop host, %s', (_group, checks) => {
  it.each(checks)('$name', async (check) => {
    await runCheck(check, projectSources);
  });
});

/** Needs `npm run build`; the built file must ask the sandbox for nothing but `electron`. */
describe.skipIf(!existsSync(builtPreload))('the preload as built', () => {
  it.each([...connectionChecks, ...fileChecks])('$name', async (check) => {
    await runCheck(check, projectSources, { builtPreload: true });
  });
});
