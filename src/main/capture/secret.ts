import { fail } from '../../model/problem.ts';

/**
 * What an environment variable holds; plans name variables, so that no secret stands in one.
 *
 * @throws ProblemError feed.no_secret
 */
export function secret(variable: string): string {
  const value = process.env[variable];
  if (value) return value;
  return fail('feed.no_secret', `the environment has no ${variable}`, { hint: 'set it where the capture is started' });
}
