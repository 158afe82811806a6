import { setTimeout } from 'node:timers/promises';
import { onAbort } from '../../../base/on-abort.ts';
import { fail } from '../../../model/problem.ts';
import { type Json, linkOf, linksOf, textOf } from '../../sources/redfish/format.ts';
import { steadyNow } from '../steady-clock.ts';
import type { Controller } from './controller.ts';
import { stream } from './event-stream.ts';
import { detailOf } from './login.ts';
import type { RedfishPlan } from './plan.ts';
import { listenForEvents, type PushListener } from './push-listener.ts';
import type { PushedEvents } from './pushed-events.ts';
import { type Quirks, quirksOf } from './quirks.ts';
import { isOfResource, whyNot } from './why-not.ts';

const LONGEST_REST_MS = 5 * 60_000;
const FAREWELL_MS = 3000;
/** After so many failures the retry interval is at its maximum. */
const MANY_FAILURES = 10;
/** So many subscriptions are searched for those of a killed capture. */
const MOST_SUBSCRIPTIONS = 50;

/** How events arrive: `stream`, `push`, or only by reading logs. */
export type PushEndpoint = 'stream' | 'push' | 'logs';

/** The controller's EventService: uses its event stream, else deliveries to our listener, else neither. */
export class EventService {
  private readonly plan: RedfishPlan;
  private readonly controller: Controller;
  private readonly events: PushedEvents;
  private readonly remark: (text: string) => void;
  endpoint: PushEndpoint = 'logs';

  constructor(plan: RedfishPlan, controller: Controller, events: PushedEvents, remark: (text: string) => void) {
    this.plan = plan;
    this.controller = controller;
    this.events = events;
    this.remark = remark;
  }

  /** Receives events until the signal aborts. Failures become remarks; logs are read in any case. */
  async run(signal: AbortSignal): Promise<void> {
    const root = await this.controller.root(signal);
    const link = this.controller.own(linkOf(root['EventService']));
    const doc = link === undefined ? {} : ((await this.controller.get(link, signal)).doc ?? {});
    const uri = this.controller.own(textOf(doc['ServerSentEventUri']));
    const subscriptions = this.controller.own(linkOf(doc['Subscriptions']));
    const push = subscriptions === undefined ? null : this.plan.push;
    if (this.plan.stream && uri !== undefined && doc['ServiceEnabled'] !== false)
      await this.streamOn(uri, quirksOf(root), push === null, signal);
    if (push && subscriptions !== undefined && !signal.aborted)
      await this.deliver(push, subscriptions, quirksOf(root), signal);
  }

  /** @param isOnlyChannel false: if the controller refuses to stream, return so that push is tried */
  private async streamOn(
    uri: string,
    { streamFilter, streamRest_s }: Quirks,
    isOnlyChannel: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const path = streamFilter && !uri.includes('?') ? `${uri}?$filter=${encodeURIComponent(streamFilter)}` : uri;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        const headers = await this.controller.login.headers(signal);
        const opened = () => {
          this.endpoint = 'stream';
          failures = 0;
        };
        const take = (doc: unknown, characters: number) => void this.events.take(doc, steadyNow(), characters);
        const refused = () => this.events.refuse(1, 'an event of the stream was too large');
        await stream({ plan: this.plan, path, headers, signal, opened, take, refused });
      } catch (error) {
        if (signal.aborted) return;
        const why = () => whyNot(error, new URL(this.plan.url).hostname);
        if (this.endpoint !== 'stream') {
          this.remark(`no event stream: ${why()}`);
          if (!isOnlyChannel && isOfResource(error)) return;
        } else if (isOfResource(error)) {
          // The stream started well and then misbehaved: pause it and read logs.
          this.remark(`the event stream was paused: ${why()}`);
          failures = MANY_FAILURES;
        }
      }
      this.endpoint = 'logs';
      const rest = Math.min(LONGEST_REST_MS, streamRest_s * 1000 * 2 ** failures);
      await setTimeout(rest, undefined, { signal }).catch(() => undefined);
    }
  }

  private async deliver(
    push: NonNullable<RedfishPlan['push']>,
    subscriptions: string,
    quirks: Quirks,
    signal: AbortSignal,
  ): Promise<void> {
    const listener = await listenForEvents(
      push,
      (doc, bytes) => this.events.take(doc, steadyNow(), bytes),
      () => this.events.refuse(1, 'deliveries came faster than they are taken'),
    );
    let created: string | undefined;
    try {
      await this.sweep(subscriptions, listener, signal);
      created = await this.subscribe(subscriptions, listener, quirks, signal);
      this.endpoint = 'push';
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
    } finally {
      this.endpoint = 'logs';
      if (created !== undefined)
        await this.controller.delete(created, AbortSignal.timeout(FAREWELL_MS)).catch(() => undefined);
      await listener.close();
    }
  }

  /** Deletes subscriptions of earlier captures to the same listener: controllers have room for few. */
  private async sweep(subscriptions: string, { destination }: PushListener, signal: AbortSignal): Promise<void> {
    const ours = destination.replace(/[^/]+$/, '');
    const { doc } = await this.controller.get(subscriptions, signal);
    for (const link of linksOf(doc?.['Members']).slice(0, MOST_SUBSCRIPTIONS)) {
      const path = this.controller.own(link);
      if (path === undefined) continue;
      const found = (await this.controller.get(path, signal).catch(() => undefined))?.doc;
      if (textOf(found?.['Destination']).startsWith(ours)) await this.controller.delete(path, signal);
    }
  }

  /** @returns the path of the subscription, to delete it. @throws ProblemError feed.no_subscription */
  private async subscribe(
    subscriptions: string,
    { destination, context }: PushListener,
    { eventTypes }: Quirks,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const old: Json = { Destination: destination, Context: context, Protocol: 'Redfish' };
    const withTypes: Json = { ...old, EventTypes: eventTypes ?? ['Alert'] };
    const recent: Json = { ...old, EventFormatType: 'Event', SubscriptionType: 'RedfishEvent' };
    const answered = withGracePeriod(signal);
    // Services before version 1.3 require types, later ones refuse them (stmcginnis/gofish, pull request 241).
    for (const body of eventTypes ? [withTypes, recent] : [recent, old, withTypes]) {
      signal.throwIfAborted();
      const received = await this.controller.post(subscriptions, body, answered);
      if (received.status < 300) return this.controller.own(received.headers.location ?? '');
      if (received.status !== 400) fail('feed.no_subscription', refused(received.status, detailOf(received)));
    }
    return fail('feed.no_subscription', refused(400, ''));
  }
}

/** Aborts some time after another signal: a pending subscription's response contains what to delete. */
function withGracePeriod(signal: AbortSignal): AbortSignal {
  const late = new AbortController();
  const stop = () => void setTimeout(FAREWELL_MS, undefined, { ref: false }).then(() => late.abort());
  onAbort(signal, stop);
  return late.signal;
}

const refused = (status: number, detail: string): string =>
  `it accepts no subscription to its events: ${status}${detail}`;
