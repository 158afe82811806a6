import { z } from 'zod';
import { fail, ProblemError } from '../../model/problem.ts';
import type { ArchivePlanReading } from '../../model/storage/archive.ts';
import { parseYaml } from '../capture/plan/parse-yaml.ts';
import { foreignVariables } from '../capture/plan/plan-file.ts';
import type { AnyArchiveKind } from './archive-kind.ts';
import type { ConnectionPlan } from './connection-plan.ts';

/** A plan that its kind's schema has checked. */
export interface CheckedArchive {
  readonly kind: AnyArchiveKind;
  readonly plan: ConnectionPlan;
}

/**
 * Reads the plan of one archive (YAML).
 *
 * @param isWindow the plan is from a window, which may name only variables of ours
 * @throws ProblemError plan.invalid, plan.not_allowed
 */
export function checkedArchive(kinds: readonly AnyArchiveKind[], text: string, isWindow: boolean): CheckedArchive {
  const value = parseYaml(text);
  const names = kinds.map(({ kind }) => kind).join(', ');
  const named = z.looseObject({ kind: z.string() }).safeParse(value);
  const kind = kinds.find((one) => one.kind === named.data?.kind);
  if (!kind)
    return fail('plan.invalid', 'the plan names no kind of archive that is known', {
      hint: `it begins with the kind, one of: ${names}`,
    });
  const parsed = kind.plan.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue?.path.join('.') ?? '';
    fail('plan.invalid', `the plan is not valid: ${place === '' ? '' : `${place}: `}${issue?.message ?? 'unknown'}`);
  }
  const [foreign] = isWindow ? foreignVariables(value, 0) : [];
  if (foreign) fail('plan.not_allowed', `the plan is not valid: ${foreign.path}: ${foreign.message}`);
  return { kind, plan: parsed.data };
}

/** What a plan states and all that is wrong with it, for a form; never throws. As {@link checkedArchive}. */
export function readArchive(kinds: readonly AnyArchiveKind[], text: string, isWindow: boolean): ArchivePlanReading {
  let value: unknown;
  try {
    value = parseYaml(text);
    checkedArchive(kinds, text, isWindow);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const fields = z.record(z.string(), z.unknown()).safeParse(value).data ?? null;
    const issues = kinds.find(({ kind }) => kind === fields?.['kind'])?.plan.safeParse(value).error?.issues ?? [];
    const problems = issues.map(({ path, message }) => ({ path: String(path[0] ?? ''), message }));
    return { fields, problems: problems.length > 0 ? problems : [{ path: '', message: error.problem.message }] };
  }
  return { fields: z.record(z.string(), z.unknown()).parse(value), problems: [] };
}
