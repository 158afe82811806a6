import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { compareOids } from '../../src/main/sources/snmp/walk.ts';

/** An agent of version 2c that a test has in its hand: tables that change, late answers, lies. */

export const INTEGER = 0x02;
export const OCTETS = 0x04;
export const OBJECT_ID = 0x06;
export const COUNTER32 = 0x41;
export const GAUGE32 = 0x42;
export const TICKS = 0x43;
export const COUNTER64 = 0x46;
const NO_SUCH_INSTANCE = 0x81;
const END_OF_VIEW = 0x82;
const SEQUENCE = 0x30;
const GET = 0xa0;
const GET_NEXT = 0xa1;
const GET_BULK = 0xa5;
const RESPONSE = 0xa2;

export interface Value {
  readonly tag: number;
  readonly value: bigint | number | string;
}
export interface SnmpRequest {
  readonly kind: number;
  readonly id: Buffer;
  readonly community: Buffer;
  readonly repetitions: number;
  readonly oids: readonly string[];
}
export type Binding = readonly [oid: string, value: Value | undefined];

function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

function integer(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.unshift(Number(rest & 0xffn));
    rest >>= 8n;
  } while (rest > 0n);
  if (bytes[0]! >= 0x80) bytes.unshift(0);
  return Buffer.from(bytes);
}

function objectId(oid: string): Buffer {
  const [first = 0, second = 0, ...rest] = oid.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const digits = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) digits.unshift((left % 128) + 128);
    bytes.push(...digits);
  }
  return Buffer.from(bytes);
}

function encoded({ tag, value }: Value): Buffer {
  if (typeof value === 'string') return element(tag, tag === OBJECT_ID ? objectId(value) : Buffer.from(value));
  return element(tag, integer(BigInt(value)));
}

/** Elements one after the other: content and tag. */
function* elements(bytes: Buffer): Generator<{ readonly tag: number; readonly content: Buffer }> {
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at]!;
    let length = bytes[at + 1]!;
    let start = at + 2;
    if (length >= 0x80) {
      const digits = length - 0x80;
      length = bytes.readUIntBE(start, digits);
      start += digits;
    }
    yield { tag, content: bytes.subarray(start, start + length) };
    at = start + length;
  }
}

function textOf(bytes: Buffer): string {
  const arcs = [Math.floor(bytes[0]! / 40), bytes[0]! % 40];
  let arc = 0;
  for (const byte of bytes.subarray(1)) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      arcs.push(arc);
      arc = 0;
    }
  }
  return arcs.join('.');
}

export function requestIn(datagram: Buffer): SnmpRequest {
  const [message] = [...elements(datagram)];
  const [, community, pdu] = [...elements(message?.content ?? Buffer.alloc(0))];
  const [id, , repetitions, bindings] = [...elements(pdu?.content ?? Buffer.alloc(0))];
  const oids = [...elements(bindings?.content ?? Buffer.alloc(0))].map(({ content }) => {
    const [name] = [...elements(content)];
    return textOf(name?.content ?? Buffer.from([0]));
  });
  return {
    kind: pdu?.tag ?? 0,
    id: id?.content ?? Buffer.alloc(1),
    community: community?.content ?? Buffer.alloc(0),
    repetitions: repetitions?.content.readUIntBE(0, repetitions.content.length) ?? 0,
    oids,
  };
}

export function responseTo({ community, id }: SnmpRequest, bindings: readonly Binding[]): Buffer {
  const list = bindings.map(([oid, value]) =>
    element(
      SEQUENCE,
      Buffer.concat([
        element(OBJECT_ID, objectId(oid)),
        value ? encoded(value) : element(END_OF_VIEW, Buffer.alloc(0)),
      ]),
    ),
  );
  const zero = element(INTEGER, Buffer.from([0]));
  const pdu = element(
    RESPONSE,
    Buffer.concat([element(INTEGER, id), zero, zero, element(SEQUENCE, Buffer.concat(list))]),
  );
  const version = element(INTEGER, Buffer.from([1]));
  return element(SEQUENCE, Buffer.concat([version, element(OCTETS, community), pdu]));
}

/** What an agent that has these objects answers; values are worked out when they are asked for. */
export class ObjectTable {
  private readonly oids: readonly string[];
  private readonly values: ReadonlyMap<string, () => Value>;

  constructor(values: ReadonlyMap<string, () => Value>) {
    this.values = values;
    this.oids = [...values.keys()].sort(compareOids);
  }

  answer(request: SnmpRequest): Binding[] {
    if (request.kind === GET)
      return request.oids.map((oid) => [oid, this.values.get(oid)?.() ?? { tag: NO_SUCH_INSTANCE, value: '' }]);
    const count = request.kind === GET_BULK ? request.repetitions : request.kind === GET_NEXT ? 1 : 0;
    return request.oids.flatMap((oid) => {
      let low = 0;
      let high = this.oids.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (compareOids(this.oids[middle]!, oid) <= 0) low = middle + 1;
        else high = middle;
      }
      const following = this.oids.slice(low, low + count).map((one): Binding => [one, this.values.get(one)?.()]);
      return following.length < count
        ? [...following, [following.at(-1)?.[0] ?? oid, undefined] as Binding]
        : following;
    });
  }
}

/** Listens on a free port; `answer` sends nothing when it gives nothing. */
export async function agentOn(
  answer: (request: SnmpRequest, reply: (bindings: readonly Binding[]) => void) => void,
): Promise<{ readonly port: number; close(): void }> {
  const socket: Socket = createSocket('udp4');
  socket.on('message', (datagram, { address, port }: RemoteInfo) => {
    const request = requestIn(datagram);
    answer(request, (bindings) => socket.send(responseTo(request, bindings), port, address));
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { port: socket.address().port, close: () => void socket.close() };
}
