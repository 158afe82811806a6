import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { ProblemError } from '../../../model/problem.ts';
import type { FeedCheck } from '../../../model/storage/feed.ts';
import { branches, readingsOf } from '../../sources/snmp/readings.ts';
import type { SnmpValue } from '../../sources/snmp/snmp-value.ts';
import { SnmpWalk } from '../../sources/snmp/walk.ts';
import { checkName, checkSecrets, failed, passed } from '../connection-checks.ts';
import { Agent } from './agent.ts';
import type { SnmpPlan } from './plan.ts';
import { whyNot } from './why-not.ts';

const DESCRIPTION = '1.3.6.1.2.1.1.1.0';
const UPTIME = '1.3.6.1.2.1.1.3.0';
/** More than any power or cooling device has. */
const MOST_VALUES = 50_000;
/** RFC 3416, section 3: authorizationError. */
const NOT_AUTHORISED = 16;

/** secret, name, port, auth, view, values: ends after the first failed step. */
export async function* testAgent(plan: SnmpPlan, signal: AbortSignal): AsyncGenerator<FeedCheck, void, void> {
  for (const step of [
    () => checkSecrets([plan.community, plan.user?.auth_key, plan.user?.privacy_key]),
    () => checkName(plan.host),
  ]) {
    const check = await step();
    if (check) yield check;
    if (check && !check.passed) return;
  }
  const presence = await discover(plan);
  if (presence === 'refused') {
    yield failed('port', `${placeOf(plan)}: nothing listens there`, 'check the port, and that the agent runs');
    return;
  }
  if (presence === 'answered') yield passed('port', `an SNMP agent answers at ${placeOf(plan)}`);
  const agent = await Agent.open(plan);
  try {
    yield* checkAgent(plan, { agent, isThere: presence === 'answered' }, signal);
  } finally {
    agent.close();
  }
}

const placeOf = ({ host, port }: SnmpPlan): string => `${host} port ${port} (UDP)`;

interface AgentSession {
  readonly agent: Agent;
  /** The agent answered before: a timeout now means wrong credentials. */
  readonly isThere: boolean;
}

async function* checkAgent(
  plan: SnmpPlan,
  { agent, isThere }: AgentSession,
  signal: AbortSignal,
): AsyncGenerator<FeedCheck> {
  let system: Map<string, SnmpValue>;
  try {
    system = await agent.values([UPTIME, DESCRIPTION], signal);
  } catch (error) {
    yield whyNoAnswer(error, plan, isThere);
    return;
  }
  yield passed(
    'auth',
    plan.user ? `user ${plan.user.name} is known and its keys are right` : 'it answers this community',
  );
  if (system.size === 0) {
    yield failed('view', 'this user may see none of its values, not even sysUpTime', viewHint);
    return;
  }
  yield passed('view', 'it shows its sysUpTime');
  yield await understood(plan, agent, signal);
}

const viewHint = "give it a view of 1.3.6.1 in the agent's settings";

async function understood(plan: SnmpPlan, agent: Agent, signal: AbortSignal): Promise<FeedCheck> {
  const found = new Map<string, SnmpValue>();
  try {
    for (const branch of branches())
      for (const [oid, value] of await agent.below(branch, signal, MOST_VALUES - found.size)) found.set(oid, value);
  } catch (error) {
    if (statusOf(error) === NOT_AUTHORISED)
      return failed('view', 'this user may not see the branches of power and cooling', viewHint);
    return failed('values', whyNot(error, plan));
  }
  const walk = new SnmpWalk(found);
  // The first is the agent's own sysUpTime.
  const readings = readingsOf(walk).length - 1;
  const name = walk.text('1.3.6.1.2.1.1.5.0') || plan.host;
  if (readings > 0) return passed('values', `${name}: ${readings} values are read`);
  const description = walk.text(DESCRIPTION).replaceAll(/\s+/g, ' ').slice(0, 120);
  return failed(
    'values',
    `${name} answers, but none of its values is a known power or cooling value${description === '' ? '' : ` (${description})`}`,
    'its MIB is unknown to Faultline, or this user may not see it',
  );
}

const statusOf = (error: unknown): unknown => (error as { status?: unknown } | null)?.status;

/** A wrong key gets a report as answer; a wrong community gets no answer. */
function whyNoAnswer(error: unknown, plan: SnmpPlan, isThere: boolean): FeedCheck {
  if (error instanceof ProblemError) return failed('values', error.problem.message, error.problem.hint);
  if (statusOf(error) === NOT_AUTHORISED)
    return failed('view', 'the agent accepts the user, but shows it no values', viewHint);
  const isSilent = error instanceof Error && error.name === 'RequestTimedOutError';
  if (isSilent && !isThere)
    return failed('port', whyNot(error, plan), 'check the address, firewalls, and which machines may query the agent');
  if (isSilent && plan.version !== '3')
    return failed(
      'auth',
      `the agent at ${placeOf(plan)} does not answer this community`,
      'check the community, and that it may be used from this machine',
    );
  if (isSilent)
    return failed(
      'auth',
      `the agent at ${placeOf(plan)} does not answer this user`,
      'check its privacy key and protocol',
    );
  return failed('auth', whyNot(error, plan), plan.user ? 'check the user, its keys and their protocols' : undefined);
}

/**
 * An engine discovery (RFC 3414, section 4): a request without user, which every version 3 agent answers with a report,
 * with any community. Message 1, request 1, for 64 KB, reportable, user security model.
 */
const DISCOVERY = Buffer.from(
  '303e0201033011020400000001020300ffe304010402010304' +
    '10300e0400020100020100040004000400301404000400a00e020400000001020100020100' +
    '3000',
  'hex',
);

/** unknown: no answer, as always from agents of versions 1 and 2c. */
async function discover({ host, port, timeout_s }: SnmpPlan): Promise<'answered' | 'refused' | 'unknown'> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve) => {
      timer = setTimeout(() => resolve('unknown'), timeout_s * 1000);
      socket.once('message', () => resolve('answered'));
      socket.once('error', (error: NodeJS.ErrnoException) =>
        resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'unknown'),
      );
      // Only a connected socket gets an error if nothing listens.
      socket.connect(port, host, () => socket.send(DISCOVERY));
    });
  } finally {
    clearTimeout(timer);
    socket.close();
  }
}
