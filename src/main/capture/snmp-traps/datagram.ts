/** Header of a datagram, not yet verified or decrypted. */
export interface DatagramHead {
  /** 0: version 1, 1: version 2c, 3: version 3. */
  readonly version: number;
  /** msgAuthoritativeEngineID of version 3, in hexadecimal; else ''. */
  readonly engine: string;
  readonly user: string;
  /** Of versions 1 and 2c: a secret that must not be shown; else ''. */
  readonly community: string;
}

const INTEGER = 0x02;
const OCTETS = 0x04;
const SEQUENCE = 0x30;
/** RFC 3411 SnmpEngineID. */
const LONGEST_ENGINE_ID = 32;

/** Basic Encoding Rules, as far as the header needs them. */
class Ber {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Content of the next element; undefined if it has another tag or is incomplete. */
  take(tag: number): Uint8Array | undefined {
    if (this.bytes[this.at] !== tag) return undefined;
    let at = this.at + 2;
    let length = this.bytes[this.at + 1] ?? -1;
    if (length > 0x80) {
      const digits = length - 0x80;
      if (digits > 4) return undefined;
      length = 0;
      for (const digit of this.bytes.subarray(at, at + digits)) length = length * 256 + digit;
      at += digits;
    }
    if (length < 0 || at + length > this.bytes.length) return undefined;
    this.at = at + length;
    return this.bytes.subarray(at, this.at);
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** undefined: not an SNMP message. */
export function headOf(datagram: Uint8Array): DatagramHead | undefined {
  const message = new Ber(datagram).take(SEQUENCE);
  if (!message) return undefined;
  const outer = new Ber(message);
  const version = outer.take(INTEGER)?.[0];
  if (version === 0 || version === 1)
    return { version, engine: '', user: '', community: Buffer.from(outer.take(OCTETS) ?? []).toString() };
  if (version !== 3 || !outer.take(SEQUENCE)) return undefined;
  const parameters = outer.take(OCTETS);
  const security = parameters && new Ber(parameters).take(SEQUENCE);
  if (!security) return undefined;
  const inner = new Ber(security);
  const engine = inner.take(OCTETS);
  if (!engine || engine.length > LONGEST_ENGINE_ID || !inner.take(INTEGER) || !inner.take(INTEGER)) return undefined;
  const user = inner.take(OCTETS);
  if (!user || user.length > 32) return undefined;
  return { version, engine: hex(engine), user: Buffer.from(user).toString('utf8'), community: '' };
}
