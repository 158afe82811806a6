import { load, YAMLException } from 'js-yaml';
import { fail } from '../../../model/problem.ts';

/** @throws ProblemError plan.invalid with the line that is no YAML */
export function parseYaml(text: string): unknown {
  try {
    return load(text);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { line } = (error.mark ?? {}) as { readonly line?: number };
    const place = line === undefined ? '' : ` (line ${line + 1})`;
    return fail('plan.invalid', `the plan is no YAML: ${error.reason}${place}`);
  }
}
