import type { EntityKind } from '../../../../model/entity.ts';
import { assignedName } from '../../../../model/incident/assigned-name.ts';
import { ADDRESS, firstOf, machineOf } from '../naming.ts';
import type { Labels, Naming, Surroundings } from '../scraped.ts';

const TARGET = ['sysName', 'agent_host', 'hostname', 'source', 'target', 'device_name', 'instance'] as const;

/**
 * A polled device by the labels that name the target; its kind is that of what was polled.
 * @param own its name where another label states it, or ''
 */
export function deviceSubject(kind: EntityKind, labels: Labels, { host, fallback }: Surroundings, own = ''): Naming {
  const name = own || assignedName(firstOf(labels, ...TARGET.slice(0, -1))) || machineOf(labels, host);
  const used = new Set<string>(TARGET);
  if (name === '') {
    const other = fallback();
    return { subject: other.kind === 'device' ? { ...other, kind } : other, relations: [], used };
  }
  const aliases = [{ kind: ADDRESS.test(name) ? 'ip_address' : 'host_name', name }];
  return { subject: { kind, id: name, aliases }, relations: [], used };
}
