import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS } from '../../../model/storage/source.ts';
import { nanos } from '../../../model/time.ts';
import { EmissionMemory } from '../../sources/redfish/emission-memory.ts';
import { type Json, objectsOf, textOf } from '../../sources/redfish/format.ts';
import { readTree, zoneOf } from '../../sources/redfish/read-tree.ts';
import { RejectedReadings } from '../../sources/redfish/rejected-readings.ts';
import { ResourceTree } from '../../sources/redfish/resource-tree.ts';
import { sensibleTime } from '../../sources/redfish/times.ts';
import { steadyNow } from '../steady-clock.ts';
import type { Controller } from './controller.ts';
import { Logs } from './logs.ts';
import type { RedfishPlan } from './plan.ts';
import type { PushedEvents } from './pushed-events.ts';
import { ResourceCache } from './resource-cache.ts';

/** After a longer outage it may have restarted with other parts. */
const LONG_AWAY_MS = 60_000;
/** A larger difference between a manager's time and the Date header is reported. */
const ODD_CLOCK_MS = 5000;
const MOST_REMARKS = 100;

/** State of a controller between polls, and which of it was reported. */
export class WatchedController {
  private readonly plan: RedfishPlan;
  private readonly controller: Controller;
  private readonly events: PushedEvents;
  private readonly resources: ResourceCache;
  private readonly logs: Logs;
  private readonly rejected = new RejectedReadings();
  private readonly emissionMemory = new EmissionMemory(this.rejected);
  private readonly remarks = new Set<string>();
  private readonly resets = new Map<string, string>();
  private learned_ms = Number.NEGATIVE_INFINITY;
  private lastStatus_ms = Number.NEGATIVE_INFINITY;
  private answered_ms = Number.NEGATIVE_INFINITY;
  /** For people: what it is, and how many resources are read. */
  about = '';
  private isClockReported = false;
  private drained: ReturnType<PushedEvents['drain']> = [];

  constructor(plan: RedfishPlan, controller: Controller, events: PushedEvents) {
    this.plan = plan;
    this.controller = controller;
    this.events = events;
    const remark = (text: string) => this.remark(text);
    this.resources = new ResourceCache(controller, remark);
    this.logs = new Logs(controller, plan.most_log_entries, remark);
  }

  remark(text: string): void {
    if (this.remarks.size < MOST_REMARKS) this.remarks.add(text);
  }

  /** Polls what is due. @throws what the controller throws if it does not respond */
  async poll(signal: AbortSignal): Promise<void> {
    const began = steadyNow();
    if (began - this.answered_ms > LONG_AWAY_MS + this.plan.every_s * 1000) this.forget();
    const isLearning = began - this.learned_ms > this.plan.learn_every_s * 1000;
    const isStatusDue = isLearning || began - this.lastStatus_ms > this.plan.status_every_s * 1000;
    if (isLearning) await this.resources.learn(signal);
    else await this.resources.refresh(isStatusDue ? ['moving', 'standing'] : ['moving'], signal);
    if (isLearning) this.learned_ms = began;
    if (isStatusDue) {
      await this.logs.read(this.resources.logs(), signal);
      this.checkManagers();
      this.lastStatus_ms = began;
    }
    const root = await this.controller.root(signal);
    const name = [root['Vendor'], root['Product']].map(textOf).filter(Boolean).join(' ') || 'a BMC';
    if (isLearning) this.about = `${name}: ${this.resources.size} resources are read`;
    if (this.controller.foreign.size > 0) this.remark('links that lead to other hosts are not followed');
    this.answered_ms = steadyNow();
  }

  private forget(): void {
    this.learned_ms = Number.NEGATIVE_INFINITY;
    this.resources.forget();
    this.controller.forget();
  }

  /** Detects restarts and clock steps from the managers. */
  private checkManagers(): void {
    for (const manager of this.resources.ofType('Manager')) {
      const id = textOf(manager['@odata.id']);
      const reset = textOf(manager['LastResetTime']);
      const before = this.resets.get(id);
      if (reset !== '' && before !== undefined && before !== reset) {
        this.remark(`the controller restarted at ${reset}, by ${id}`);
        this.forget();
      }
      if (reset !== '') this.resets.set(id, reset);
      this.compareClock(id, manager);
    }
    const clockRemark = this.controller.clock.settle() ?? this.controller.clock.step();
    if (clockRemark !== null) this.remark(clockRemark);
    const doubt = this.controller.clock.doubt();
    if (doubt !== null) this.remark(doubt);
  }

  private compareClock(id: string, manager: Json): void {
    const stated = sensibleTime(manager['DateTime'], { zone: 'UTC', remark: () => undefined });
    const requested_ms = this.resources.requestTimeOf(id);
    if (stated === undefined || requested_ms === undefined) return;
    const { clock } = this.controller;
    const stated_ms = Number(stated / 1_000_000n);
    clock.states(stated_ms, requested_ms);
    if (clock.dates && Math.abs(stated_ms - requested_ms - clock.offset_ms) > ODD_CLOCK_MS)
      this.remark(`${id} states another time than the Date of the responses: the Date is used`);
  }

  /** Offset of the rows' clock to this machine's, once; null until it is fixed, or if there is none. */
  clock(): { readonly offset_ns: bigint; readonly uncertainty_ns: bigint } | null {
    const { offset_ms, uncertainty_ms } = this.controller.clock;
    if (offset_ms === 0 || this.isClockReported) return null;
    this.isClockReported = true;
    return { offset_ns: -nanosOf(offset_ms), uncertainty_ns: nanosOf(uncertainty_ms) };
  }

  /** What is new since rows were last stored. */
  read(): RowBatch[] {
    const builder = new BatchBuilder();
    const batches: RowBatch[] = [];
    const tree = new ResourceTree();
    const problems = {
      remark: () => undefined,
      reject: (file: string, at: number, reason: string, excerpt: string) => {
        if (this.emissionMemory.isNew(`reject ${file} ${reason}`)) builder.reject(file, at, reason, excerpt);
      },
    };
    this.drained = this.events.drain();
    for (const { doc, requested_ms } of this.drained) {
      if (objectsOf(doc['Events']).length === 0) this.resources.put(doc, requested_ms);
      else tree.addDocument(doc, { path: 'event' }, problems, this.ownTime(requested_ms));
    }
    this.resources.addTo(tree, problems);
    this.logs.addTo(tree, problems, (entry) => this.events.wasPushed(entry));
    if (tree.leftOut > 0) this.remark(`${tree.leftOut} resources exceed the limit: they are left out`);
    const time_ns = this.ownTime(steadyNow());
    const fallback = this.plan.name ?? new URL(this.plan.url).hostname;
    for (const text of this.remarks) builder.remark(text);
    const service = this.plan.url;
    for (const _ of readTree({
      tree,
      builder,
      fallback,
      time_ns,
      zone: zoneOf(tree),
      service,
      memory: this.emissionMemory,
    }))
      if (builder.rowCount >= BATCH_ROWS) batches.push(builder.finish(0));
    batches.push(builder.finish(0));
    return batches;
  }

  /** After the last poll: summary remarks. */
  end(): RowBatch {
    const builder = new BatchBuilder();
    for (const text of [...this.rejected.remarks()].slice(0, MOST_REMARKS)) builder.remark(text);
    return builder.finish(0);
  }

  private ownTime(ms: number): ReturnType<typeof nanos> {
    return nanos(nanosOf(ms + this.controller.clock.offset_ms));
  }

  /** Call it when the rows read last were stored. */
  commit(): void {
    this.emissionMemory.commit();
    this.remarks.clear();
  }

  /** Call it when they were not: what is still current is emitted again. */
  retract(): void {
    this.emissionMemory.forget();
    this.events.putBack(this.drained);
  }
}

const nanosOf = (ms: number): bigint => BigInt(Math.round(ms)) * 1_000_000n;
