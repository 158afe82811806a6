import { setTimeout } from 'node:timers/promises';
import snmp, { type Session, type Varbind } from 'net-snmp';
import { fail } from '../../../model/problem.ts';
import {
  bytesValue,
  NO_VALUE,
  numberValue,
  oidValue,
  type SnmpValue,
  ticksValue,
} from '../../sources/snmp/snmp-value.ts';
import { steadyNow, waited } from '../steady-clock.ts';
import { AnswerTimes } from './answer-times.ts';
import type { SnmpPlan } from './plan.ts';
import { openSession } from './session.ts';

/** Names and descriptions have at most 255 octets (SnmpAdminString); longer values are cut. */
const LONGEST_VALUE = 4096;
/** RFC 3416: the response does not fit into a message. */
const TOO_BIG = 1;

/** One agent; requests are sequential and rate-limited by the plan. */
export class Agent {
  private readonly session: Session;
  private readonly plan: SnmpPlan;
  private next = 0;
  private isOpen = true;
  /** Response times since the last `begin`. */
  readonly times = new AnswerTimes();

  private constructor(plan: SnmpPlan, session: Session) {
    this.plan = plan;
    this.session = session;
    // Responses come by callbacks; an unhandled socket error would end the process.
    this.session.on('error', () => undefined);
  }

  /** @throws ProblemError feed.no_secret */
  static async open(plan: SnmpPlan): Promise<Agent> {
    return new Agent(plan, await openSession(plan));
  }

  /** Ends all pending requests without an answer. */
  close(): void {
    if (this.isOpen) this.session.close();
    this.isOpen = false;
  }

  /**
   * Everything below an OID.
   *
   * @throws ProblemError feed.too_large beyond `most` values
   */
  async below(oid: string, signal: AbortSignal, most: number): Promise<Map<string, SnmpValue>> {
    const found = new Map<string, SnmpValue>();
    let from = oid;
    for (;;) {
      const answered = await this.after(from, signal);
      if (answered.length === 0) return found;
      for (const varbind of answered) {
        // Stop if the agent does not advance: the walk would never end.
        if (!varbind.oid.startsWith(`${oid}.`) || found.has(varbind.oid) || snmp.isVarbindError(varbind)) return found;
        found.set(varbind.oid, snmpValueOf(varbind));
        from = varbind.oid;
      }
      if (found.size > most) fail('feed.too_large', `it answers too many values below ${oid}`);
    }
  }

  private async after(oid: string, signal: AbortSignal): Promise<Varbind[]> {
    await this.waitForSlot(signal);
    return await this.timed(
      new Promise((resolve, reject) => {
        const settle = (error: unknown, varbinds?: readonly (Varbind | Varbind[])[]) => {
          // Version 1 signals the end with an error.
          if (error && this.plan.version === '1' && statusOf(error) === 2) resolve([]);
          else if (error) reject(error);
          else resolve((varbinds ?? []).flat());
        };
        if (this.plan.version === '1') this.session.getNext([oid], settle);
        else this.session.getBulk([oid], 0, this.plan.most_values, settle);
      }),
    );
  }

  private async timed(answer: Promise<Varbind[]>): Promise<Varbind[]> {
    const answered = waited();
    const varbinds = await answer;
    const { from_ms, to_ms } = answered();
    this.times.saw(
      varbinds.map(({ oid }) => oid),
      from_ms,
      to_ms,
    );
    return varbinds;
  }

  /** The values of these OIDs that exist; requests that are too big for the agent are halved. */
  async values(oids: readonly string[], signal: AbortSignal): Promise<Map<string, SnmpValue>> {
    const found = new Map<string, SnmpValue>();
    for (let at = 0; at < oids.length; at += this.plan.most_values)
      for (const varbind of await this.get(oids.slice(at, at + this.plan.most_values), signal))
        if (!snmp.isVarbindError(varbind)) found.set(varbind.oid, snmpValueOf(varbind));
    return found;
  }

  private async get(oids: string[], signal: AbortSignal): Promise<Varbind[]> {
    await this.waitForSlot(signal);
    try {
      return await this.timed(
        new Promise((resolve, reject) =>
          this.session.get(oids, (error, varbinds) => (error ? reject(error) : resolve(varbinds ?? []))),
        ),
      );
    } catch (error) {
      // Version 1 refuses the whole request for one missing OID: halving finds it.
      const isDivisible = statusOf(error) === TOO_BIG || this.plan.version === '1';
      if (statusOf(error) === undefined || !isDivisible) throw error;
      if (oids.length === 1) return [];
      const middle = oids.length >> 1;
      return [...(await this.get(oids.slice(0, middle), signal)), ...(await this.get(oids.slice(middle), signal))];
    }
  }

  private async waitForSlot(signal: AbortSignal): Promise<void> {
    const rest = this.next - steadyNow();
    if (rest > 0) await setTimeout(rest, undefined, { signal });
    signal.throwIfAborted();
    this.next = Math.max(steadyNow(), this.next) + 1000 / this.plan.most_requests_per_s;
  }
}

const statusOf = (error: unknown): number | undefined =>
  error instanceof Error && error.name === 'RequestFailedError' ? (error as { status?: number }).status : undefined;

/** A value that an agent sent, with its type. */
export function snmpValueOf({ type, value }: Pick<Varbind, 'type' | 'value'>): SnmpValue {
  if (value === null || value === undefined) return NO_VALUE;
  if (type === snmp.ObjectType.TimeTicks) return ticksValue(Number(value));
  if (type === snmp.ObjectType.OID) return oidValue(String(value));
  if (type === snmp.ObjectType.Counter64 && value instanceof Uint8Array)
    return numberValue(Number(BigInt(`0x${Buffer.from(value).toString('hex') || '0'}`)));
  if (value instanceof Uint8Array) return bytesValue(value.subarray(0, LONGEST_VALUE));
  if (typeof value === 'number' || typeof value === 'bigint') return numberValue(Number(value));
  return { kind: 'text', number: Number.NaN, text: String(value) };
}
