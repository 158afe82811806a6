import snmp, { type Session } from 'net-snmp';
import { secret } from '../plan/secret.ts';
import type { SnmpPlan } from './plan.ts';

/**
 * Opens a session with an agent.
 *
 * @throws ProblemError feed.no_secret
 */
export async function openSession(plan: SnmpPlan): Promise<Session> {
  const options = {
    port: plan.port,
    timeout: plan.timeout_s * 1000,
    retries: 1,
    backoff: 1,
    transport: plan.host.includes(':') ? ('udp6' as const) : ('udp4' as const),
    context: plan.context,
  };
  if (plan.user) return snmp.createV3Session(plan.host, await userOf(plan.user), options);
  const community = plan.community === null ? 'public' : await secret(plan.community);
  const version = plan.version === '1' ? snmp.Version1 : snmp.Version2c;
  return snmp.createSession(plan.host, community, { ...options, version });
}

/** A user for the library, with its keys. @throws ProblemError feed.no_secret */
export async function userOf({ name, auth, auth_key, privacy, privacy_key }: NonNullable<SnmpPlan['user']>) {
  if (auth_key === null) return { name, level: snmp.SecurityLevel.noAuthNoPriv };
  const authenticated = { name, authProtocol: snmp.AuthProtocols[auth], authKey: await secret(auth_key) };
  if (privacy_key === null) return { ...authenticated, level: snmp.SecurityLevel.authNoPriv };
  return {
    ...authenticated,
    level: snmp.SecurityLevel.authPriv,
    privProtocol: snmp.PrivProtocols[privacy],
    privKey: await secret(privacy_key),
  };
}
