import { setTimeout } from 'node:timers/promises';
import type { z } from 'zod';
import { errorCode } from '../../../base/error-code.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { rowCount } from '../../../model/rows/rows.ts';
import type { Feed, FeedCheck, FeedSink } from '../../../model/storage/feed.ts';
import { appendTrapContent } from '../../sources/snmp-traps/append-trap.ts';
import type { FeedKind } from '../feed-kind.ts';
import { reportChangesOnly } from '../feed-state.ts';
import { secret } from '../plan/secret.ts';
import { userOf } from '../snmp/session.ts';
import { steadyNanos, steadyNow } from '../steady-clock.ts';
import { kernelDrops } from './kernel-drops.ts';
import { snmpTrapsPlanSchema } from './plan.ts';
import { type Received, type Refusal, refusals, type TrapListener, TrapReceiver } from './receiver.ts';
import { SharedAddresses } from './shared-addresses.ts';
import { contentOf, freshMemory, isFull, senderOf } from './trap-content.ts';

type SnmpTrapsPlan = z.output<typeof snmpTrapsPlanSchema>;

const FLUSH_MS = 250;
/** Per kind of refusal; further ones are only counted. */
const MOST_SHOWN = 20;
/** Interval of the refusal count. */
const REFUSALS_INTERVAL_MS = 5000;

/** Traps and informs of power, cooling and network devices, by the decoder of trap logs. */
export const snmpTrapsFeed: FeedKind<typeof snmpTrapsPlanSchema> = {
  kind: 'snmp-traps',
  plan: snmpTrapsPlanSchema,
  open: (plan): Feed => {
    let listening = plan.listen;
    return {
      name: plan.name,
      format: 'snmp-traps-live',
      stampedBy: 'here',
      get about() {
        return listening;
      },
      async run(sink, signal) {
        const inbox = new Inbox(plan.name, sink);
        const receiver = await open(plan, inbox);
        try {
          listening = await receiver.listen().catch(refused(plan.listen));
          await inbox.run(listening, signal);
        } finally {
          await receiver.close();
        }
      },
    };
  },
  test,
};

/** @throws ProblemError feed.no_secret */
async function open(plan: SnmpTrapsPlan, listener: TrapListener): Promise<TrapReceiver> {
  const colon = plan.listen.lastIndexOf(':');
  const communities = plan.communities === null ? ['public'] : await Promise.all(plan.communities.map(secret));
  const options = {
    host: plan.listen.slice(0, colon).replace(/^\[|\]$/g, ''),
    port: Number(plan.listen.slice(colon + 1)),
    communities,
    users: await Promise.all(plan.users.map(userOf)),
    most_per_s: plan.most_per_s,
  };
  return new TrapReceiver(options, listener);
}

const refused =
  (address: string) =>
  (error: unknown): never => {
    const code = errorCode(error);
    const hints: Readonly<Record<string, string>> = {
      EADDRINUSE:
        'another process listens there, perhaps snmptrapd: stop it, or choose another port and let it forward',
      EACCES: 'only root may open ports below 1024: choose another and send traps there, or redirect them',
      EADDRNOTAVAIL: 'no interface of this machine has that address',
    };
    return fail('feed.cannot_listen', `cannot listen for traps on ${address}`, {
      hint: hints[code] ?? `the system's error is ${code}`,
      place: address,
    });
  };

/** Traps received since rows were last emitted. */
class Inbox implements TrapListener {
  private readonly name: string;
  private readonly sink: FeedSink;
  private readonly builder = new BatchBuilder();
  private memory = freshMemory();
  private readonly shared = new SharedAddresses();
  private readonly refusals = new Map<Refusal, number>();
  private datagrams = 0;
  private dropped = 0;

  constructor(name: string, sink: FeedSink) {
    this.name = name;
    this.sink = sink;
  }

  async run(listening: string, signal: AbortSignal): Promise<void> {
    const reportState = reportChangesOnly(this.sink);
    const port = Number(listening.slice(listening.lastIndexOf(':') + 1));
    const before = await kernelDrops(port, listening.startsWith('['));
    let unseen = before;
    reportState('up', 'listening');
    let reported_ms = steadyNow();
    while (!signal.aborted) {
      await setTimeout(FLUSH_MS, undefined, { signal }).catch(() => undefined);
      const now = await kernelDrops(port, listening.startsWith('['));
      if (now > unseen) this.sink.lost(now - unseen, 'the socket buffer was full: the kernel dropped traps');
      unseen = Math.max(unseen, now);
      this.flush();
      if (steadyNow() - reported_ms < REFUSALS_INTERVAL_MS && !signal.aborted) continue;
      reported_ms = steadyNow();
      if (this.refusals.size > 0) reportState('up', `listening; refused: ${this.refusalsText()}`);
    }
    if (this.refusals.size > 0) this.builder.remark(`refused in total: ${this.refusalsText()}`);
    this.flush();
  }

  trap({ pdu, address, datagram, speaker }: Received): void {
    this.datagrams++;
    const content = contentOf(pdu);
    if (!content) return this.reject(address, 'a trap without snmpTrapOID', datagram);
    if (isFull(this.memory)) this.memory = freshMemory();
    const sender = senderOf(pdu, content, address);
    // A sender that is named in the trap is distinguished from others already.
    const isNamed = sender !== address.replace(/^::ffff:/, '');
    const apart = isNamed ? undefined : this.shared.nameOf(sender, speaker);
    const origin = apart === undefined ? { address: sender, host: sender } : { address: '', host: apart };
    const time_ns = steadyNanos();
    // In the form of snmptrapd's log, so that received traps can be read again.
    const lines = Object.entries(content.shown).map(([oid, text]) => `${oid} = ${JSON.stringify(text)}`);
    const raw = [`${content.oid} from ${address}`, ...lines].join('\n');
    appendTrapContent(this.builder, content, { ...origin, raw, time_ns }, this.memory);
  }

  refused(why: Refusal, address: string): void {
    this.datagrams++;
    const count = (this.refusals.get(why) ?? 0) + 1;
    this.refusals.set(why, count);
    if (count <= MOST_SHOWN) this.reject(address, refusals[why]);
  }

  flooded(): void {
    this.dropped++;
  }

  private reject(address: string, reason: string, datagram?: Uint8Array): void {
    const excerpt = datagram ? Buffer.from(datagram).toString('hex') : '';
    this.builder.reject(`${this.name}, from ${address}`, this.datagrams, reason, excerpt);
  }

  private refusalsText(): string {
    return [...this.refusals].map(([why, count]) => `${count} ${refusals[why]}`).join(', ');
  }

  private flush(): void {
    if (this.dropped > 0) this.sink.lost(this.dropped, 'more traps arrived than most_per_s of the plan');
    this.dropped = 0;
    const batch = this.builder.finish(0);
    if (Object.keys(batch.tables).length === 0 && batch.remarks.length === 0) return;
    if (this.sink.take([batch])) return;
    this.sink.lost(rowCount(batch), 'writing was too slow: traps were dropped');
    this.memory = freshMemory();
  }
}

async function* test(plan: SnmpTrapsPlan): AsyncGenerator<FeedCheck> {
  const deaf: TrapListener = { trap: () => undefined, refused: () => undefined, flooded: () => undefined };
  let receiver: TrapReceiver;
  try {
    receiver = await open(plan, deaf);
  } catch (error) {
    yield failed('secret', error);
    return;
  }
  const who = [plan.communities?.length ?? 1, plan.users.length];
  yield { step: 'secret', passed: true, detail: `${who[0]} communities and ${who[1]} users were read` };
  try {
    const address = await receiver.listen().catch(refused(plan.listen));
    await receiver.close();
    yield {
      step: 'port',
      passed: true,
      detail: `${address} is free to listen on`,
      hint: 'to see whether traps arrive, send a test trap from a device',
    };
  } catch (error) {
    yield failed('port', error);
  }
}

function failed(step: FeedCheck['step'], error: unknown): FeedCheck {
  if (!(error instanceof ProblemError)) throw error;
  const { hint, message } = error.problem;
  return { step, passed: false, detail: message, ...(hint && { hint }) };
}
