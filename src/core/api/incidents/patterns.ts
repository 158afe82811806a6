import type { CallContext, Output, Parsed } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import { patterns } from '../../analysis/patterns/index.ts';
import type { Workspace } from '../workspace.ts';

const names = patterns.map(({ id }) => id);

/** Pattern findings of the case. */
export function patternHandlers(workspace: Workspace) {
  return {
    'patterns.list': async (
      { pattern }: Parsed<'patterns.list'>,
      { signal }: CallContext,
    ): Promise<Output<'patterns.list'>> => {
      if (pattern !== null && !names.includes(pattern))
        return fail('pattern.unknown', `there is no pattern ${pattern}`, { hint: `one of ${names.join(', ')}` });
      const findings = (await workspace.required().findings(signal)).map(({ view }) => view);
      return {
        findings: findings.filter((one) => pattern === null || one.pattern === pattern),
        looked_for: pattern === null ? [...names] : [pattern],
      };
    },
  };
}
