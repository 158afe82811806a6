import type { SnmpPlan } from './plan.ts';

/**
 * Address of an agent, as its name if a device reports none: `10.0.0.7`, `10.0.0.7:1161`, `10.0.0.7/rack-2`,
 * `10.0.0.7/community-2`. Several devices can share an address; they differ by port (address translation), context
 * (RFC 3411), or community (proxies), which is shown as its number among the plan's communities for it.
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
