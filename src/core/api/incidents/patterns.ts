import type { CallContext, Output, Parsed } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import { patterns } from '../../analysis/patterns/index.ts';
import { type ChangedThreshold, thresholdsYaml, thresholdText } from '../../analysis/patterns/thresholds.ts';
import { namedFinding, readGpuNames } from '../gpus/gpu-names.ts';
import type { Workspace } from '../workspace.ts';

const names = patterns.map(({ id }) => id);
const withText = (changed: ChangedThreshold) => ({ ...changed, text: thresholdText(changed) });

/** Pattern findings of the case. */
export function patternHandlers(workspace: Workspace) {
  return {
    'patterns.known': async (): Promise<Output<'patterns.known'>> => ({ patterns: [...names] }),
    'patterns.list': async (
      { pattern }: Parsed<'patterns.list'>,
      { signal }: CallContext,
    ): Promise<Output<'patterns.list'>> => {
      if (pattern !== null && !names.includes(pattern))
        return fail('pattern.unknown', `there is no pattern ${pattern}`, { hint: `one of ${names.join(', ')}` });
      const opened = workspace.required();
      const gpus = await opened.withSession(readGpuNames);
      const findings = (await opened.findings(signal)).map(({ view }) => namedFinding(view, gpus));
      const { value: changed, problem } = await workspace.thresholds.current();
      return {
        findings: findings.filter((one) => pattern === null || one.pattern === pattern),
        looked_for: pattern === null ? [...names] : [pattern],
        thresholds_changed: changed.map(withText),
        thresholds_problem: problem,
      };
    },
    'thresholds.status': async (): Promise<Output<'thresholds.status'>> => {
      const { value: changed, origin, hasFile, problem } = await workspace.thresholds.current();
      const place = workspace.dependencies.thresholdsPlace ?? 'thresholds.yaml';
      const own = { changed: changed.map(withText), text: thresholdsYaml(changed) };
      return { in_use: origin, has_file: hasFile, place, problem, ...own };
    },
  };
}
