import { isMembers, type Members } from './format.ts';

/** Metadata of a trace besides its events. */
export interface Header {
  /** Nanoseconds since 1970 that `ts` counts from; 0n: not stated. */
  readonly base_ns: bigint;
  readonly rank: number | undefined;
  /** Written by Faultline (docs/export.md): each event states its row. */
  readonly own: boolean;
  /** Written by PyTorch: one process, whatever its pids are (GPUs and pseudo-processes have their own). */
  readonly kineto: boolean;
  /** Ranks of process groups by their name. */
  readonly groups: ReadonlyMap<string, string>;
  /** Facts about the process for its attributes. */
  readonly attributes: Members;
}

/** Reads the members of the top object besides `traceEvents`. */
export function headerOf(members: Members): Header {
  const info = isMembers(members['distributedInfo']) ? members['distributedInfo'] : {};
  const rank = info['rank'];
  const { pg_config, ...distributed } = info;
  const version = members['schemaVersion'];
  const other = isMembers(members['otherData']) ? members['otherData'] : {};
  const device = Array.isArray(members['deviceProperties']) ? (members['deviceProperties'] as unknown[])[0] : undefined;
  return {
    base_ns: nanosOf(members['baseTimeNanoseconds']),
    rank: Number.isInteger(rank) && (rank as number) >= 0 ? (rank as number) : undefined,
    own: other['faultline'] === 1,
    kineto: typeof version === 'number' || 'deviceProperties' in members || 'distributedInfo' in members,
    groups: groupsOf(pg_config),
    attributes: {
      ...distributed,
      ...(isMembers(device) && typeof device['name'] === 'string' ? { device_name: device['name'] } : {}),
      ...(typeof members['traceName'] === 'string' ? { trace_name: members['traceName'] } : {}),
    },
  };
}

/**
 * Kineto rounds the base to months, so a double holds it exactly. One beyond all times is taken as it is: without it its events
 * would be of 1970, with it each is out of range.
 */
function nanosOf(value: unknown): bigint {
  if (typeof value === 'string' && /^\d{1,30}$/.test(value)) return BigInt(value);
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? BigInt(value) : 0n;
}

function groupsOf(config: unknown): Map<string, string> {
  const groups = new Map<string, string>();
  for (const group of Array.isArray(config) ? (config as unknown[]) : []) {
    if (!isMembers(group)) continue;
    const ranks = rankList(group['ranks']);
    if (ranks !== '') groups.set(String(group['pg_name']), ranks);
  }
  return groups;
}

/** `0,1,2`; '' when some are left out (`...`) or none are given. */
export function rankList(value: unknown): string {
  if (Array.isArray(value)) return value.every((rank) => Number.isInteger(rank)) ? value.join(',') : '';
  if (typeof value !== 'string' || !/^\[?\s*\d+(?:\s*,\s*\d+)*\s*\]?$/.test(value)) return '';
  return (value.match(/\d+/g) ?? []).join(',');
}
