import { BatchBuilder } from '../../../model/batch-builder.ts';
import type { Feed, FeedSink } from '../../../model/feed.ts';
import { rowCount } from '../../../model/rows.ts';
import { nothingTold, readDevice } from '../../sources/snmp/read-device.ts';
import { branches, changingTables, readingsOf } from '../../sources/snmp/readings.ts';
import type { SnmpValue } from '../../sources/snmp/snmp-value.ts';
import { SnmpWalk } from '../../sources/snmp/walk.ts';
import { Beat } from '../beat.ts';
import { burstOf, pollingOf } from '../burst.ts';
import type { FeedKind } from '../feed-kind.ts';
import { sayingChanges } from '../feed-state.ts';
import { steadyNow } from '../steady-clock.ts';
import { Agent } from './agent.ts';
import { type SnmpPlan, snmpPlanSchema } from './plan.ts';
import { testAgent } from './test-agent.ts';
import { whyNot } from './why-not.ts';

const UPTIME = '1.3.6.1.2.1.1.3.0';
const LONGEST_REST_MS = 60_000;
/** An agent of more below the branches that are understood is no power or cooling device, or means harm. */
const MOST_VALUES = 50_000;

/**
 * A device of power or cooling, by the profiles that read recordings of it: walked once to learn its outlets, phases and
 * sensors, then only what changes is asked.
 */
export const snmpFeed: FeedKind<typeof snmpPlanSchema> = {
  kind: 'snmp',
  plan: snmpPlanSchema,
  open: (plan): Feed => {
    const name = plan.name ?? `SNMP ${plan.host}${plan.port === 161 ? '' : `:${plan.port}`}`;
    return {
      name,
      format: 'snmp-live',
      burst: burstOf(plan.burst, plan.every_s),
      about: `version ${plan.version}, ${plan.host}:${plan.port}`,
      async run(sink, signal) {
        const agent = await Agent.open(plan);
        const close = () => agent.close();
        // A silent agent would hold the end up for as long as it is waited for.
        signal.addEventListener('abort', close, { once: true });
        try {
          await poll(plan, agent, sink, signal);
        } finally {
          close();
        }
      },
    };
  },
  test: testAgent,
};

async function poll(plan: SnmpPlan, agent: Agent, sink: FeedSink, signal: AbortSignal): Promise<void> {
  const device = new PolledDevice(plan, agent);
  const say = sayingChanges(sink);
  const beat = new Beat();
  let failures = 0;
  while (!signal.aborted) {
    const began = steadyNow();
    const builder = new BatchBuilder();
    const trouble = await device.read(builder, signal).then(
      () => null,
      (error: unknown) => (signal.aborted ? '' : whyNot(error, plan)),
    );
    if (signal.aborted) return;
    if (trouble === null) say('up', device.about);
    else say('down', trouble, steadyNow() - began);
    failures = trouble === null ? 0 : failures + 1;
    if (trouble === null && builder.rowCount > 0) {
      const batch = builder.finish(0);
      if (!sink.take([batch])) {
        sink.lost(rowCount(batch), 'a poll came while rows waited to be written');
        device.forget();
      }
    }
    // A silent agent is asked ever less often; waiting for its answer was a rest already.
    const rest =
      failures === 0 ? pollingOf(plan) * 1000 : Math.min(LONGEST_REST_MS, plan.every_s * 1000 * 2 ** failures);
    if (failures > 0) beat.from(began);
    await beat.rest(rest, signal);
  }
}

/** What is known of a device between two polls. */
class PolledDevice {
  private readonly plan: SnmpPlan;
  private readonly agent: Agent;
  private known: Map<string, SnmpValue> = new Map();
  private readings: readonly string[] = [];
  private tables: readonly string[] = [];
  private told = nothingTold();
  private learned = Number.NEGATIVE_INFINITY;
  private uptime = Number.NaN;
  about = '';

  constructor(plan: SnmpPlan, agent: Agent) {
    this.plan = plan;
    this.agent = agent;
  }

  /** What the last poll told was not kept, and has to be told again. */
  forget(): void {
    this.told = nothingTold();
  }

  async read(builder: BatchBuilder, signal: AbortSignal): Promise<void> {
    const isLearning = steadyNow() - this.learned > this.plan.learn_every_s * 1000;
    if (isLearning) await this.learn(signal);
    const began = steadyNow();
    const values = isLearning ? this.known : await this.changed(signal);
    const uptime = values.get(UPTIME)?.number ?? Number.NaN;
    if (uptime < this.uptime) {
      // It has restarted, or 497 days are over: outlets may have other numbers, and no counter goes on.
      builder.remark('the agent restarted while it was recorded, by its sysUpTime');
      this.learned = Number.NEGATIVE_INFINITY;
    }
    this.uptime = uptime;
    // Learning takes its time; what a poll answers is as old as the middle of it.
    const time_ns = BigInt(Math.round(isLearning ? steadyNow() : (began + steadyNow()) / 2)) * 1_000_000n;
    for (const _ of readDevice(builder, new SnmpWalk(values), this.plan.host, time_ns, this.told));
  }

  private async learn(signal: AbortSignal): Promise<void> {
    const found = new Map<string, SnmpValue>();
    for (const branch of branches)
      for (const [oid, value] of await this.agent.below(branch, signal, MOST_VALUES - found.size))
        found.set(oid, value);
    const walk = new SnmpWalk(found);
    this.known = found;
    this.tables = changingTables.filter((table) => found.size > 0 && walk.has(table.split('.').slice(0, 7).join('.')));
    this.readings = readingsOf(walk);
    this.told = { ...nothingTold(), alarms: this.told.alarms };
    this.learned = steadyNow();
    const name = walk.text('1.3.6.1.2.1.1.5.0') || this.plan.host;
    this.about = `${name}: ${this.readings.length - 1} values are read`;
  }

  /** All that is known, with what changes asked anew; a value that is not answered any more is not repeated. */
  private async changed(signal: AbortSignal): Promise<Map<string, SnmpValue>> {
    const values = new Map(this.known);
    for (const oid of this.readings) values.delete(oid);
    for (const table of this.tables)
      for (const oid of values.keys()) if (oid.startsWith(`${table}.`)) values.delete(oid);
    for (const [oid, value] of await this.agent.values(this.readings, signal)) values.set(oid, value);
    for (const table of this.tables)
      for (const [oid, value] of await this.agent.below(table, signal, MOST_VALUES)) values.set(oid, value);
    return values;
  }
}
