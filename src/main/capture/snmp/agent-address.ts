import type { SnmpPlan } from './plan.ts';

/**
 * Who is asked, for devices that tell no name: `10.0.0.7`, `10.0.0.7:1161`, `10.0.0.7/rack-2`, `10.0.0.7/community-2`. Behind one
 * address there may be several, told apart by port (address translation), by context (RFC 3411), or by community (proxies): then
 * by its number among those that the plan has for it, never by what it is.
 *
 * @param siblings all agents of the plan, in its order
 */
export function agentAddress(plan: SnmpPlan, siblings: readonly SnmpPlan[]): string {
  const { host, port, context, community, user } = plan;
  const at = port === 161 ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (user !== null) return context === '' ? at : `${at}/${context}`;
  const communities = siblings
    .filter((other) => other.host === host && other.port === port && other.user === null)
    .map((other) => other.community);
  const number = [...new Set(communities)].indexOf(community);
  return number > 0 ? `${at}/community-${number + 1}` : at;
}
