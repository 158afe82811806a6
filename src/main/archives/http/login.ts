import { lazy } from '../../../base/lazy.ts';
import { fail } from '../../../model/problem.ts';
import { secret } from '../../capture/plan/secret.ts';
import type { LoginPlan } from '../connection-plan.ts';

/** A request before it has a login. */
export interface UnsignedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How an archive learns who asks. */
export interface Login {
  /** Where its secrets are: `env:NAME`. */
  readonly references: readonly string[];
  /** The headers that one request gets besides its own. @throws ProblemError feed.no_secret, keychain.unavailable, plan.invalid */
  headers(request: UnsignedRequest): Promise<Readonly<Record<string, string>>>;
  /** What was sent or signed with: no error may repeat it. */
  sent(): Promise<readonly string[]>;
}

/** A bearer token, or a name and a password; the tenant where there are several. */
export function httpLogin({ bearer, user, password, tenant }: LoginPlan): Login {
  const read = lazy(async () => {
    const word = password === null ? null : await secret(password);
    const basic = user === null || word === null ? null : Buffer.from(`${user}:${word}`).toString('base64');
    const token = bearer === null ? null : await secret(bearer);
    // The error of a header that cannot be sent would repeat it.
    if (token !== null && /[^\x20-\x7e]/.test(token)) fail('plan.invalid', `the token at ${bearer} is no header`);
    return {
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(basic !== null && { authorization: `Basic ${basic}` }),
        ...(tenant !== null && { 'x-scope-orgid': tenant }),
      },
      sent: [token, basic, word].filter((one): one is string => one !== null && one !== ''),
    };
  });
  return {
    references: [bearer, password].filter((one) => one !== null),
    headers: async () => (await read()).headers,
    sent: async () => (await read()).sent,
  };
}
