import type { Check } from './check.ts';
import { connectionChecks } from './connection.ts';
import { fileChecks } from './files.ts';
import { lifeChecks } from './life.ts';
import { policyChecks } from './policy.ts';
import { servingChecks } from './serving.ts';
import { windowChecks } from './window.ts';

/** The contract checks by theme; see docs/security.md for the rule behind each. */
export const checkGroups: Readonly<Record<string, readonly Check[]>> = {
  policy: policyChecks,
  serving: servingChecks,
  window: windowChecks,
  connection: connectionChecks,
  files: fileChecks,
  life: lifeChecks,
};

export const checks: readonly Check[] = Object.values(checkGroups).flat();

export function findCheck(name: string): Check {
  const found = checks.find((check) => check.name === name);
  if (!found) throw new Error(`no check is called "${name}"`);
  return found;
}
