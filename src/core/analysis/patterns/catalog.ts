import { z } from 'zod';
import { lazy } from '../../../base/lazy.ts';
import { issueText, readYaml } from '../../../base/yaml-issues.ts';
import { remediationSchema } from '../../../model/incident/finding.ts';
import { fail } from '../../../model/problem.ts';
import bundled from './patterns.yaml?raw';

const textsSchema = z.strictObject({
  title: z.string(),
  /** Condition for a finding. */
  definition: z.string(),
  /** Reference of the signature. */
  source: z.string(),
  /** Condition for a partial finding. */
  partial: z.string(),
  /** Similar cases that are not this pattern. */
  adjacent: z.string(),
  remediation: z.array(remediationSchema).min(1),
});
const fileSchema = z.strictObject({ version: z.literal(1), patterns: z.record(z.string(), textsSchema) });
export type PatternTexts = z.infer<typeof textsSchema>;

/** By pattern id. */
export const patternTexts = lazy((): Readonly<Record<string, PatternTexts>> => parse(bundled));

function parse(yaml: string): Readonly<Record<string, PatternTexts>> {
  const read = readYaml(yaml, fileSchema);
  if ('issues' in read) return fail('patterns.invalid', read.issues.map(issueText).join('; '));
  return read.data.patterns;
}
