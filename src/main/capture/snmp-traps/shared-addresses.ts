/** Which of the devices behind an address a message is of, as far as it says. */
export interface Speaker {
  /** Place of its community in the plan's list; null: version 3, which has none. */
  readonly community: number | null;
  /** Of version 3 (RFC 3411), in hexadecimal: the engine that a trap is of, whoever sends it; '': it does not say. */
  readonly engine: string;
  /** Name of the context of version 3; '': the usual one. */
  readonly context: string;
}

/** Addresses that are remembered; whoever may send invents no more. */
const MOST_REMEMBERED = 100_000;

/**
 * Keeps devices apart that send from one address (address translation, proxies): by context, and by community or engine where an
 * address is heard with another one than the first. A device whose community or engine id was changed looks like two, which is
 * seen and can be mended; two that look like one are not.
 */
export class SharedAddresses {
  private readonly communities = new Map<string, number>();
  private readonly engines = new Map<string, string>();

  /** `10.0.0.7/rack-2`, `10.0.0.7/community-2`: no community is ever shown. undefined: the address is its own. */
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
