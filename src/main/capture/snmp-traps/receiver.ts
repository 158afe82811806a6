import { createHash } from 'node:crypto';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { EventEmitter } from 'node:events';
import snmp, { type User, type Varbind } from 'net-snmp';
import { type DatagramHead, headOf } from './datagram.ts';
import { Rate, Recent } from './limits.ts';
import type { Speaker } from './shared-addresses.ts';

/** The library's trap, as far as it is used; its types use `any`. */
export interface TrapPdu {
  readonly type: number;
  readonly id?: number;
  readonly varbinds: readonly Varbind[];
  /** Of version 1. */
  readonly enterprise?: string;
  readonly agentAddr?: string;
  readonly generic?: number;
  readonly specific?: number;
  readonly upTime?: number;
  /** Of version 3. */
  readonly contextName?: string;
  readonly contextEngineID?: Uint8Array | string;
}

export interface Received {
  readonly pdu: TrapPdu;
  readonly address: string;
  readonly datagram: Uint8Array;
  readonly speaker: Speaker;
}
/** Why a datagram was refused. */
export const refusals = {
  'no SNMP': 'datagrams that are no SNMP',
  community: 'datagrams with a community that the plan does not have',
  user: 'messages of a user that the plan does not have, or below the security level that it demands',
  key: 'messages whose key or protocol is wrong',
  kind: 'messages that are no traps',
  engines: 'messages of too many new engines',
} as const;
export type Refusal = keyof typeof refusals;

export interface TrapListener {
  trap(received: Received): void;
  refused(why: Refusal, address: string): void;
  /** Called for datagrams above the rate limit. */
  flooded(): void;
}

interface Options {
  readonly host: string;
  readonly port: number;
  readonly communities: readonly string[];
  readonly users: readonly User[];
  readonly most_per_s: number;
}

/** Socket buffer for a burst of thousands while the process is busy. */
const RECEIVE_BYTES = 4 * 1024 * 1024;
/**
 * The library hashes a megabyte to make the key of a new engine, before it verifies the message, and keeps it for ever.
 * The limit protects against a sender of invented engine ids.
 */
const NEW_ENGINES_PER_S = 5;
const MOST_ENGINES = 10_000;
/** To detect repeated informs, and replayed messages of version 3. */
const REMEMBERED = 20_000;

/**
 * Receives notifications of versions 1, 2c and 3 (RFC 3416, 3414) and acknowledges informs. The library decodes and
 * authenticates; the socket is ours, so that a hostile datagram affects only itself, and so that limits apply.
 */
export class TrapReceiver {
  private readonly socket: Socket;
  private readonly inside = new EventEmitter();
  private readonly listener: TrapListener;
  private readonly options: Options;
  private readonly rate: Rate;
  private readonly newEngines = new Rate(NEW_ENGINES_PER_S);
  private readonly engines = new Set<string>();
  private readonly messages = new Recent(REMEMBERED);
  private readonly informs = new Recent(REMEMBERED);
  /** Results of the library for the current datagram. */
  private readonly outcomes: { readonly error: Error | null; readonly pdu: TrapPdu | undefined }[] = [];

  constructor(options: Options, listener: TrapListener) {
    this.options = options;
    this.listener = listener;
    this.rate = new Rate(options.most_per_s);
    this.socket = createSocket({ type: options.host.includes(':') ? 'udp6' : 'udp4', recvBufferSize: RECEIVE_BYTES });
    const send = (bytes: Buffer, at: number, length: number, port: number, address: string) =>
      // Ignore errors: the receiver may have gone.
      this.socket.send(bytes, at, length, port, address, () => undefined);
    const fakeSocket = Object.assign(this.inside, { bind: () => undefined, close: () => undefined, send });
    const receiver = snmp.createReceiver(
      { port: 1, disableAuthorization: false, dgramModule: { createSocket: () => fakeSocket } },
      (error: Error | null, data?: { readonly pdu: TrapPdu }) => {
        this.outcomes.push({ error, pdu: data?.pdu });
      },
    );
    for (const community of options.communities) receiver.getAuthorizer().addCommunity(community);
    for (const user of options.users) receiver.getAuthorizer().addUser(user);
  }

  /** Returns the address that it listens on. Rejects if it cannot listen. */
  async listen(): Promise<string> {
    const { socket, options } = this;
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(options.port, options.host, () => {
        socket.off('error', reject);
        resolve();
      });
    });
    socket.on('error', () => undefined);
    socket.on('message', (datagram, from) => this.onDatagram(datagram, from));
    const { address, family, port } = socket.address();
    return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.socket.close(() => resolve()));
  }

  private onDatagram(datagram: Buffer, from: RemoteInfo): void {
    if (!this.rate.allows()) return this.listener.flooded();
    const head = headOf(datagram);
    if (!head) return this.listener.refused('no SNMP', from.address);
    if (head.version === 3 && !this.knowsEngine(head.engine, head.user))
      return this.listener.refused('engines', from.address);
    const isRepeated =
      head.version === 3 && head.user !== '' && this.messages.has(createHash('sha1').update(datagram).digest('base64'));
    // The library clears the digest in the message that it verifies.
    const raw = Uint8Array.from(datagram);
    this.outcomes.length = 0;
    try {
      this.inside.emit('message', datagram, from);
    } catch {
      return this.listener.refused('no SNMP', from.address);
    }
    const [outcome] = this.outcomes;
    // No outcome: an engine discovery, which precedes version 3 informs, or a report of a refusal.
    if (!outcome) {
      if (head.user !== '') this.listener.refused('user', from.address);
      return;
    }
    if (outcome.error || !outcome.pdu) return this.listener.refused(refusalOf(outcome.error), from.address);
    const isInform = outcome.pdu.type === snmp.PduType.InformRequest;
    const isAgain = isInform && this.informs.has(`${from.address} ${from.port} ${outcome.pdu.id}`);
    if (!isRepeated && !isAgain)
      this.listener.trap({
        pdu: outcome.pdu,
        address: from.address,
        datagram: raw,
        speaker: this.speakerOf(head, outcome.pdu),
      });
  }

  private speakerOf({ version, community }: DatagramHead, pdu: TrapPdu): Speaker {
    if (version !== 3)
      return { community: Math.max(0, this.options.communities.indexOf(community)), engine: '', context: '' };
    const { contextName = '', contextEngineID = '' } = pdu;
    const of = typeof contextEngineID === 'string' ? contextEngineID : Buffer.from(contextEngineID).toString('hex');
    // An inform carries the engine id of its receiver, so only a trap identifies its sender.
    return { community: null, engine: pdu.type === snmp.PduType.TrapV2 ? of : '', context: contextName };
  }

  private knowsEngine(engine: string, user: string): boolean {
    if (engine === '' || this.engines.has(engine) || !this.options.users.some(({ name }) => name === user)) return true;
    if (this.engines.size >= MOST_ENGINES || !this.newEngines.allows()) return false;
    this.engines.add(engine);
    return true;
  }
}

/** By the library's messages, which are not shown because they contain communities and digests. */
function refusalOf(error: Error | null): Refusal {
  const text = error?.message ?? '';
  if (/community not found/i.test(text)) return 'community';
  if (/user/i.test(text)) return 'user';
  if (/digest|decrypt/i.test(text)) return 'key';
  return error?.name === 'RequestInvalidError' ? 'kind' : 'no SNMP';
}
