import { z } from 'zod';
import { fail } from '../../../model/problem.ts';
import { fromKeychain } from './keychain.ts';

/**
 * Reference to a secret in a plan: `env:NAME` or `keychain:NAME`. A plan must not contain the secret itself, and the
 * error message does not repeat it.
 */
export const secretSchema = z
  .string()
  .regex(/^(env:[A-Za-z_]\w*|keychain:\S{1,200})$/, 'must name where the secret is: env:NAME or keychain:NAME')
  .meta({ secret: true });

/**
 * Reads the secret.
 *
 * @throws ProblemError feed.no_secret, keychain.unavailable
 */
export async function secret(reference: string): Promise<string> {
  const [, place, name = ''] = /^(env|keychain):(.+)$/.exec(reference) ?? [];
  if (place === 'env') {
    const value = process.env[name];
    if (value) return value;
    return fail('feed.no_secret', `the environment has no ${name}`, { hint: 'set it where the capture is started' });
  }
  const stored = await fromKeychain(name);
  if (stored) return stored;
  return fail('feed.no_secret', `the keychain has no ${name} of Faultline's`, {
    hint: `put it there: faultline secret set ${name}`,
  });
}
