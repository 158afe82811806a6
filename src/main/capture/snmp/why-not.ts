import { errorCode } from '../../../base/error-code.ts';
import { ProblemError } from '../../../model/problem.ts';
import { connectionFailures } from '../connection-failures.ts';
import type { SnmpPlan } from './plan.ts';

/** Why an agent gave no data, in one line with what to check; contains no key or community. */
export function whyNot(error: unknown, { host, port, version, user }: SnmpPlan): string {
  if (error instanceof ProblemError) return error.problem.message;
  if (!(error instanceof Error)) throw error;
  if (error.name === 'RequestTimedOutError') {
    // RFC 3414, section 3.2: agents need not report a message that they cannot decrypt, and net-snmp's do not.
    const wrong = version !== '3' ? 'the community is wrong' : user?.privacy_key ? 'the privacy key is wrong' : '';
    return `no answer from ${host} port ${port}: ${
      wrong === ''
        ? 'does the agent run, and may this machine query it?'
        : `agents also do not answer if ${wrong} or if they allow other machines only`
    }`;
  }
  const report = reports.find(([pattern]) => pattern.test(error.message));
  if (report && user) return `${report[1]} (user ${user.name})`;
  const code = errorCode(error);
  if (typeof code === 'string' && code in connectionFailures) return `${connectionFailures[code]} (${host})`;
  // Rethrow our own bugs.
  if (typeof code !== 'string' && !/^(Request|Response|Processing)\w*Error$/.test(error.name)) throw error;
  return `the agent's answer cannot be used: ${error.message.slice(0, 200)}`;
}

/** usmStats of RFC 3414, section 3.2, as the library names them. */
const reports: readonly (readonly [RegExp, string])[] = [
  [/unknown ?user/i, 'the agent knows no such user'],
  [/wrong ?digest|digest/i, 'the authentication key or its protocol is wrong'],
  [/decrypt/i, 'the privacy key or its protocol is wrong'],
  [/unsupported ?security/i, 'the agent does not offer this user that security level'],
  [/authorization ?error/i, 'the agent shows this user no values at that security level'],
  // OpenSSL's build and configuration decide which protocols exist.
  [/digital envelope/i, "this machine's cryptography lacks the protocol of one of its keys"],
  [/not ?in ?time/i, "the agent's clock of its engine does not fit"],
];
