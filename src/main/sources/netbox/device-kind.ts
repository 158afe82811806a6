import type { EntityKind } from '../../../model/entity.ts';

/** Words in role names, which each site chooses; the first match counts. */
const roles: readonly (readonly [RegExp, EntityKind])[] = [
  [/\bups\b|uninterruptible/i, 'ups'],
  [/pdu|power[- ]?(strip|distribution)/i, 'pdu'],
  [/\b(crac|crah|cdu|chiller|hvac)\b|cool/i, 'cooling'],
  [/switch|router|firewall|\b(leaf|spine|tor)\b/i, 'switch'],
  [/patch|panel|cable management/i, 'device'],
];

/** Kind of a device: by the words of its role, else by its power outlets and inlets. */
export function deviceKind(role: string, has: { readonly outlets: boolean; readonly inlets: boolean }): EntityKind {
  const kindByRole = roles.find(([words]) => words.test(role))?.[1];
  if (kindByRole) return kindByRole;
  if (has.outlets) return 'pdu';
  return has.inlets || /server|compute|node|\bgpu\b|\bhost\b|hypervisor|storage|blade/i.test(role)
    ? 'server'
    : 'device';
}
