import { setTimeout } from 'node:timers/promises';
import { type RowBatch, rowCount } from '../../../model/rows/rows.ts';
import type { Feed, FeedSink } from '../../../model/storage/feed.ts';
import type { FeedKind } from '../feed-kind.ts';
import { reportChangesOnly } from '../feed-state.ts';
import { PollSchedule } from '../poll-schedule.ts';
import { steadyNow } from '../steady-clock.ts';
import { Controller } from './controller.ts';
import { EventService } from './event-service.ts';
import { type RedfishPlan, redfishPlanSchema } from './plan.ts';
import { PushedEvents } from './pushed-events.ts';
import { testController } from './test-controller.ts';
import { WatchedController } from './watched-controller.ts';
import { whyNot } from './why-not.ts';

const LONGEST_REST_MS = 60_000;
const SERVICE_REST_MS = 5 * 60_000;
const SLOW = 'the controller answers slower than the poll interval: it is polled less often';
/** Events come in bursts; those within this time are read together. */
const FLOCK_MS = 300;

/**
 * A management controller (DMTF Redfish, DSP0266): discovered by its links, polled at a limited rate, with events as
 * they arrive. The decoder is that of recorded trees.
 */
export const redfishFeed: FeedKind<typeof redfishPlanSchema> = {
  kind: 'redfish',
  plan: redfishPlanSchema,
  open: (plan): Feed => ({
    name: plan.name ?? `Redfish ${new URL(plan.url).host}`,
    format: 'redfish-live',
    stampedBy: 'measured',
    about: plan.url,
    async run(sink, signal) {
      const controller = await Controller.of(plan);
      try {
        await watch(plan, controller, sink, signal);
      } finally {
        await controller.close();
      }
    },
  }),
  test: testController,
};

async function watch(plan: RedfishPlan, controller: Controller, sink: FeedSink, signal: AbortSignal): Promise<void> {
  const host = new URL(plan.url).hostname;
  const events = new PushedEvents();
  const watched = new WatchedController(plan, controller, events);
  const service = new EventService(plan, controller, events, (text) => watched.remark(text));
  const reportState = reportChangesOnly(sink);
  for (const text of exceptions(plan)) watched.remark(text);
  let serving: Promise<void> | null = null;
  const schedule = new PollSchedule();
  let due = steadyNow();
  let failures = 0;
  let pause = 0;
  try {
    while (!signal.aborted) {
      await Promise.race([rest(due - steadyNow(), signal), events.some().then(() => rest(FLOCK_MS, signal))]);
      if (signal.aborted) break;
      if (steadyNow() >= due) {
        const [began, requested_ms] = [steadyNow(), performance.now()];
        schedule.begins(pause, (late_ms) => sink.missed?.(late_ms));
        const trouble = await watched.poll(signal).then(
          () => null,
          (error: unknown) => (signal.aborted ? '' : whyNot(error, host)),
        );
        if (signal.aborted) break;
        failures = trouble === null ? 0 : failures + 1;
        if (trouble === null) reportState('up', watched.about);
        else reportState('down', trouble, steadyNow() - Math.max(began, controller.lastAnswer_ms));
        // Poll an unresponsive controller less and less often, and one that refused the login very rarely.
        const regular_ms = plan.every_s * 1000;
        pause = Math.min(Math.max(LONGEST_REST_MS, regular_ms), regular_ms * 2 ** failures);
        // A controller slower than the poll interval still gets a pause; a clock step does not count as response time.
        const took_ms = performance.now() - requested_ms;
        const tired = steadyNow() + took_ms / 2;
        if (failures > 0) schedule.from(began);
        due = Math.max(schedule.next(pause), tired, controller.login.restsUntil);
        if (trouble === null && took_ms > regular_ms) watched.remark(SLOW);
        if (trouble === null)
          serving ??= serve(
            service,
            (error) => watched.remark(`events only from logs: ${whyNot(error, host)}`),
            signal,
          );
      }
      report(watched, events, sink);
    }
  } finally {
    await serving;
    const last = watched.end();
    if (last.remarks.length > 0) sink.take([last]);
  }
}

/** Retries from time to time: a controller may have had no room for another subscription. */
async function serve(service: EventService, onError: (error: unknown) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await service.run(signal);
    } catch (error) {
      if (signal.aborted) return;
      onError(error);
    }
    await rest(SERVICE_REST_MS, signal);
  }
}

/** Remarks about relaxed security that a reader of the evidence must know. */
function* exceptions({ url, tls, user, fingerprint_sha256 }: RedfishPlan): Generator<string> {
  if (tls === 'insecure') yield 'the certificate of the controller was not verified, as set in the plan';
  if (fingerprint_sha256) yield `the certificate of the controller has the fingerprint ${fingerprint_sha256} (SHA-256)`;
  if (url.startsWith('http:'))
    yield `the controller was polled without TLS, as set in the plan${user === null ? '' : ': its password was sent unencrypted'}`;
}

const rest = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  setTimeout(Math.max(0, milliseconds), undefined, { signal }).catch(() => undefined);

function report(watched: WatchedController, events: PushedEvents, sink: FeedSink): void {
  for (const [count, reason] of events.refused()) sink.lost(count, reason);
  const batches = watched.read();
  const clock = watched.clock();
  if (clock) sink.clock?.(clock.offset_ns, clock.uncertainty_ns);
  if (batches.every((batch) => rowCount(batch) === 0 && batch.remarks.length === 0)) return watched.commit();
  if (sink.take(batches)) {
    watched.commit();
    return;
  }
  watched.retract();
  const points = batches.reduce((sum, batch) => sum + pointCount(batch), 0);
  if (points > 0) sink.lost(points, 'writing was too slow: the rows of a poll were dropped');
}

const pointCount = ({ tables }: RowBatch): number => tables.point?.count ?? 0;
