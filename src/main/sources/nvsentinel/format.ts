/**
 * NVSentinel's documents (github.com/NVIDIA/NVSentinel, `data-models/protobufs/health_event.proto`, `data-models/pkg/model`):
 * health events as sent, as stored in MongoDB (all keys in lower case, dates as `{"$date": …}`) or as PostgreSQL JSONB
 * (camel or snake case), as CloudEvents, and maintenance events of the cloud health monitor. Keys are compared without
 * case and underscores.
 */
export type Lowered = Readonly<Record<string, unknown>>;

const lowered = (key: string): string => key.replaceAll('_', '').toLowerCase();

/** An object with its keys as {@link lowered} has them; values stay as they are. */
export function lower(value: unknown): Lowered {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const result: Record<string, unknown> = Object.create(null);
  for (const [key, inner] of Object.entries(value)) result[lowered(key)] = inner;
  return result;
}

/** The enumeration `RecommendedAction`; a shipped sample uses 1, which is outside it and stays a number. */
const actions: Readonly<Record<number, string>> = {
  0: 'NONE',
  2: 'COMPONENT_RESET',
  5: 'CONTACT_SUPPORT',
  6: 'RUN_FIELDDIAG',
  15: 'RESTART_VM',
  24: 'RESTART_BM',
  25: 'REPLACE_VM',
  26: 'RUN_DCGMEUD',
  39: 'RESTART_APP',
  99: 'UNKNOWN',
};
export const actionName = (value: unknown): string =>
  typeof value === 'number' ? (actions[value] ?? String(value)) : typeof value === 'string' ? value : '';

/** How deep a health event may be wrapped: CloudEvent, change stream document, list. */
const MAX_WRAPS = 4;
const wrappers = ['data', 'healthevent', 'fulldocument', 'document'];

export interface Documents {
  /** The health event proper. */
  readonly event: Lowered | undefined;
  /** Quarantine, drain and repair as NVSentinel kept them beside it. */
  readonly status: Lowered;
  readonly maintenance: Lowered | undefined;
  /** CloudEvent or document around it, for ids and times. */
  readonly envelope: Lowered;
}

export const isHealthEvent = (object: Lowered): boolean =>
  'checkname' in object && 'isfatal' in object && ('nodename' in object || 'entitiesimpacted' in object);
export const isMaintenanceEvent = (object: Lowered): boolean =>
  'maintenancetype' in object && 'eventid' in object && ('cspstatus' in object || 'csp' in object);

/** Looks through the wrappers for what is meant. */
export function unwrap(value: unknown): Documents {
  let object = lower(value);
  let envelope = object;
  let status = lower(object.healtheventstatus);
  for (let depth = 0; depth < MAX_WRAPS; depth++) {
    if (isHealthEvent(object)) return { event: object, status, maintenance: undefined, envelope };
    if (isMaintenanceEvent(object)) return { event: undefined, status, maintenance: object, envelope };
    const key = wrappers.find((name) => typeof object[name] === 'object' && object[name] !== null);
    if (key === undefined) break;
    envelope = depth === 0 ? object : envelope;
    object = lower(object[key]);
    if ('healtheventstatus' in object) status = lower(object.healtheventstatus);
  }
  return { event: undefined, status, maintenance: undefined, envelope };
}
