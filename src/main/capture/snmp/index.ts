import { onAbort } from '../../../base/on-abort.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { rowCount } from '../../../model/rows/rows.ts';
import type { Feed, FeedSink } from '../../../model/storage/feed.ts';
import { newPollState, readDevice } from '../../sources/snmp/read-device.ts';
import { branches, changingTables, readingsOf } from '../../sources/snmp/readings.ts';
import type { SnmpValue } from '../../sources/snmp/snmp-value.ts';
import { SnmpWalk } from '../../sources/snmp/walk.ts';
import { burstOf, pollingOf } from '../burst.ts';
import type { FeedKind } from '../feed-kind.ts';
import { reportChangesOnly } from '../feed-state.ts';
import { PollSchedule } from '../poll-schedule.ts';
import { steadyNow } from '../steady-clock.ts';
import { Agent } from './agent.ts';
import { agentAddress } from './agent-address.ts';
import { type SnmpPlan, snmpPlanSchema } from './plan.ts';
import { testAgent } from './test-agent.ts';
import { whyNot } from './why-not.ts';

const UPTIME = '1.3.6.1.2.1.1.3.0';
const LONGEST_REST_MS = 60_000;
/** A smaller uncertainty does not change the order of causes: mechanisms take longer, or are inside one device. */
const MIN_UNCERTAINTY_MS = 250;
/** Reported in steps: each report triggers a new analysis of the data source. */
const STEP = 1.5;
/** An agent with more values in the known branches is no power or cooling device, or is hostile. */
const MOST_VALUES = 50_000;

/**
 * A power or cooling device, by the profiles that read recordings of it: one walk finds its outlets, phases and
 * sensors; then only what changes is polled.
 */
export const snmpFeed: FeedKind<typeof snmpPlanSchema> = {
  kind: 'snmp',
  plan: snmpPlanSchema,
  open: (plan, siblings = []): Feed => {
    const address = agentAddress(plan, siblings);
    const name = plan.name ?? `SNMP ${address}`;
    return {
      name,
      format: 'snmp-live',
      stampedBy: 'here',
      burst: burstOf(plan.burst, plan.every_s),
      about: `version ${plan.version}, ${plan.host}:${plan.port}`,
      async run(sink, signal) {
        // Reads the profiles, which takes a moment in which no answer is heard: before anything is asked.
        branches();
        const agent = await Agent.open(plan);
        const close = () => agent.close();
        // Otherwise an unresponsive agent would delay the end by its timeout.
        onAbort(signal, close);
        try {
          await poll(new PolledDevice(plan, agent, address), sink, signal);
        } finally {
          close();
        }
      },
    };
  },
  test: testAgent,
};

async function poll(device: PolledDevice, sink: FeedSink, signal: AbortSignal): Promise<void> {
  const { plan } = device;
  const reportState = reportChangesOnly(sink);
  const schedule = new PollSchedule();
  let failures = 0;
  while (!signal.aborted) {
    const began = steadyNow();
    const builder = new BatchBuilder();
    const trouble = await device.read(builder, signal).then(
      () => null,
      (error: unknown) => (signal.aborted ? '' : whyNot(error, plan)),
    );
    if (signal.aborted) return;
    reportUncertainty(device, builder, sink);
    if (trouble === null) reportState('up', device.about);
    else reportState('down', trouble, steadyNow() - began);
    failures = trouble === null ? 0 : failures + 1;
    if (trouble === null && builder.rowCount > 0) {
      const batch = builder.finish(0);
      if (!sink.take([batch])) {
        sink.lost(rowCount(batch), 'writing was too slow: the rows of a poll were dropped');
        device.forget();
      }
    }
    // Poll an unresponsive agent less and less often; the timeout counts as part of the pause.
    const rest =
      failures === 0 ? pollingOf(plan) * 1000 : Math.min(LONGEST_REST_MS, plan.every_s * 1000 * 2 ** failures);
    if (failures > 0) schedule.from(began);
    await schedule.rest(rest, signal, (late_ms) => sink.missed?.(late_ms));
  }
}

/** Slow responses make all times of a data source less certain: reported in steps, never too low. */
function reportUncertainty(device: PolledDevice, builder: BatchBuilder, sink: FeedSink): void {
  const { uncertainty_ms } = device;
  if (uncertainty_ms <= Math.max(MIN_UNCERTAINTY_MS, device.reported_ms)) return;
  let bound_ms = MIN_UNCERTAINTY_MS;
  while (bound_ms < uncertainty_ms) bound_ms *= STEP;
  device.reported_ms = bound_ms;
  sink.clock?.(0n, BigInt(Math.ceil(bound_ms)) * 1_000_000n);
  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  builder.remark(
    `a response took ${seconds(2 * uncertainty_ms)} s: values get the midpoint of request and response, accurate to ${seconds(bound_ms)} s`,
  );
}

/** State of a device between polls. */
class PolledDevice {
  readonly plan: SnmpPlan;
  private readonly agent: Agent;
  /** Its name if it reports none. */
  private readonly address: string;
  private known: Map<string, SnmpValue> = new Map();
  private readings: readonly string[] = [];
  private tables: readonly string[] = [];
  private pollState = newPollState();
  private learned = Number.NEGATIVE_INFINITY;
  private uptime = Number.NaN;
  /** Uncertainty of the time of its slowest response. */
  uncertainty_ms = 0;
  /** Uncertainty that was reported. */
  reported_ms = 0;
  about = '';

  constructor(plan: SnmpPlan, agent: Agent, address: string) {
    this.plan = plan;
    this.agent = agent;
    this.address = address;
  }

  /** Call it if rows were not stored: they are emitted again. */
  forget(): void {
    this.pollState = newPollState();
  }

  async read(builder: BatchBuilder, signal: AbortSignal): Promise<void> {
    const isLearning = steadyNow() - this.learned > this.plan.learn_every_s * 1000;
    const { times } = this.agent;
    times.begin();
    if (isLearning) await this.learn(signal);
    const values = isLearning ? this.known : await this.changed(signal);
    const uptime = values.get(UPTIME)?.number ?? Number.NaN;
    if (uptime < this.uptime) {
      // Restart, or overflow after 497 days: outlet numbers may have changed, and counters restart.
      builder.remark('the agent restarted during the capture, by its sysUpTime');
      this.learned = Number.NEGATIVE_INFINITY;
    }
    this.uptime = uptime;
    const timeOf = (oid: string) => BigInt(Math.round(times.middleOf(oid) ?? steadyNow())) * 1_000_000n;
    for (const _ of readDevice(builder, new SnmpWalk(values), this.address, timeOf, this.pollState));
    this.uncertainty_ms = Math.max(this.uncertainty_ms, times.uncertainty_ms);
  }

  private async learn(signal: AbortSignal): Promise<void> {
    const found = new Map<string, SnmpValue>();
    for (const branch of branches())
      for (const [oid, value] of await this.agent.below(branch, signal, MOST_VALUES - found.size))
        found.set(oid, value);
    const walk = new SnmpWalk(found);
    this.known = found;
    this.tables = changingTables.filter((table) => found.size > 0 && walk.has(table.split('.').slice(0, 7).join('.')));
    this.readings = readingsOf(walk);
    this.pollState = { ...newPollState(), alarms: this.pollState.alarms, doubted: this.pollState.doubted };
    this.learned = steadyNow();
    const name = walk.text('1.3.6.1.2.1.1.5.0') || this.address;
    this.about = `${name}: ${this.readings.length - 1} values are read`;
  }

  /** All known values, with the changing ones polled again; values without a response are left out. */
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
