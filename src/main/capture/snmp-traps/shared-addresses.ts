/** Identifies the device behind an address that sent a message, as far as possible. */
export interface Speaker {
  /** Index of its community in the plan; null: version 3, which has none. */
  readonly community: number | null;
  /** Engine id of the trap's sender in version 3 (RFC 3411), hexadecimal; '': unknown. */
  readonly engine: string;
  /** Context name of version 3; '': the default. */
  readonly context: string;
}

/** Most addresses that are remembered: senders can invent addresses. */
const MOST_REMEMBERED = 100_000;

/**
 * Separates devices that send from one address (address translation, proxies): by context, and by community or engine
 * if it differs from the first one of that address. After a change of its community or engine id, a device looks like
 * two; an investigator can see and correct that, unlike two devices that look like one.
 */
export class SharedAddresses {
  private readonly communities = new Map<string, number>();
  private readonly engines = new Map<string, string>();

  /**
   * `10.0.0.7/rack-2`, `10.0.0.7/community-2`: without the community itself. undefined: only one device uses the
   * address.
   */
  nameOf(address: string, { community, engine, context }: Speaker): string | undefined {
    const parts: string[] = [];
    if (community !== null && !isFirst(this.communities, address, community)) parts.push(`community-${community + 1}`);
    if (engine !== '' && !isFirst(this.engines, address, engine)) parts.push(`engine-${engine}`);
    if (context !== '') parts.push(context);
    return parts.length === 0 ? undefined : [address, ...parts].join('/');
  }
}

function isFirst<T>(known: Map<string, T>, address: string, value: T): boolean {
  const first = known.get(address);
  if (first === undefined && known.size < MOST_REMEMBERED) known.set(address, value);
  return first === undefined || first === value;
}
