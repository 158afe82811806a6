import { fail } from '../../../model/problem.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { BATCH_ROWS, type FileHead, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { jsonRecords } from '../bytes/json-records.ts';
import { excerptOf } from '../traces/attempt.ts';
import { clockOf } from './clock.ts';
import { Emitter } from './emit.ts';
import { isMembers, readEvent, type TraceEvent } from './format.ts';
import { OwnRows } from './own-rows.ts';
import { Pairing } from './pairing.ts';
import { isEventPath, isOnThread, type Survey, survey } from './survey.ts';
import { Owners } from './who.ts';

export const chromeTrace: Source = {
  id: 'chrome-trace',
  title: 'Chrome trace JSON (PyTorch Kineto, Perfetto)',
  looks_for: 'JSON with "traceEvents", or a JSON list of events with "ph", "ts" and "pid"',
  leaves_open: ['time', 'device'],
  detect,
  read,
};

function detect({ json, object }: FileHead): boolean {
  if (Array.isArray(json)) {
    const [first] = json as unknown[];
    return (
      isMembers(first) &&
      typeof first['ph'] === 'string' &&
      first['ph'].length === 1 &&
      ('ts' in first || 'pid' in first)
    );
  }
  const events = object['traceEvents'];
  if (Array.isArray(events)) return events.length === 0 || isMembers(events[0]);
  // The header of a large job's trace may be longer than what is seen of it.
  return 'schemaVersion' in object && ('distributedInfo' in object || 'deviceProperties' in object);
}

/** Reads the file twice: who nests in whom, and when the trace began, is known only at its end. */
async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const found = await survey(input);
  const clock = clockOf(found, input);
  const owners = new Owners(found.header, found.tracks, input);
  const emitter = new Emitter(found, owners, clock);
  // In our own files the spans contain their links.
  for (const { from, to, name } of found.header.own ? [] : found.flows.arrows(found.points)) {
    emitter.link(from, to, name);
    if (emitter.builder.rowCount >= BATCH_ROWS) yield emitter.finish(0);
  }
  const own = found.header.own ? new OwnRows(found.tracks, clock) : undefined;
  const second = new SecondPass(found, emitter, { name: input.name, own });
  let at = 0;
  for await (const record of jsonRecords(input.chunks, ['traceEvents'])) {
    at = record.at;
    if (record.reason !== undefined) {
      // The closing bracket of a bare list may be left out: a program that dies cannot write it.
      if (record.path !== '' || record.reason !== 'the file ends before its last bracket')
        emitter.builder.reject(input.name, record.at, record.reason, record.excerpt);
    } else if (isEventPath(record.path)) second.take(record.value, record.at);
    if (emitter.builder.rowCount >= BATCH_ROWS) yield emitter.finish(at);
  }
  second.finish();
  if (found.events === 0 && second.seen === 0)
    fail('chrome_trace.no_events', `${input.name} holds no trace events`, { place: input.name });
  for (const remark of [clock.remark, ...owners.remarks]) if (remark !== '') emitter.builder.remark(remark);
  yield emitter.finish(at);
}

class SecondPass {
  seen = 0;
  private readonly found: Survey;
  private readonly emitter: Emitter;
  private readonly name: string;
  private readonly pairing = new Pairing();
  private readonly leftOut = new Map<string, number>();
  private point = 0;

  private readonly own: OwnRows | undefined;

  constructor(
    found: Survey,
    emitter: Emitter,
    { name, own }: { readonly name: string; readonly own: OwnRows | undefined },
  ) {
    this.found = found;
    this.emitter = emitter;
    this.name = name;
    this.own = own;
  }

  take(value: unknown, at: number): void {
    const event = readEvent(value);
    this.seen++;
    if (event === undefined) {
      const phase = String((value as { readonly ph: unknown }).ph).slice(0, 8);
      this.leftOut.set(phase, (this.leftOut.get(phase) ?? 0) + 1);
      return;
    }
    // Traces of Chrome's own end with an empty object.
    if (isMembers(value) && Object.keys(value).length === 0) return;
    try {
      const problem = 'reason' in event ? event.reason : this.append(event);
      if (problem !== '') this.emitter.builder.reject(this.name, at, problem, excerptOf(value));
    } catch (error) {
      // JSON may nest deeper than writing it again can follow.
      if (!(error instanceof RangeError)) throw error;
      this.emitter.builder.reject(this.name, at, 'nested too deeply');
    }
  }

  /** Remarks and slices that only the end of the file brings. */
  finish(): void {
    for (const slice of this.pairing.rest()) this.emitter.span(slice);
    const { builder } = this.emitter;
    for (const [phase, count] of this.leftOut) builder.remark(`left out: ${count} events of phase ${phase}`);
    if (this.pairing.unmatched > 0) builder.remark(`left out: ${this.pairing.unmatched} ends without a beginning`);
    const { dropped } = this.found.flows;
    if (dropped > 0) builder.remark(`left out: ${dropped} flow events without both ends in slices`);
  }

  /** Why the event is no row; '' when it is, or needs none. */
  private append(event: TraceEvent): string {
    const { emitter, pairing, found } = this;
    switch (event.phase) {
      case 'metadata':
        return '';
      case 'counter':
        return this.isOwn(event) ? '' : emitter.counter(event);
      case 'flow start':
      case 'flow step':
      case 'flow end':
        this.point++;
        return '';
      case 'async instant': {
        const around = pairing.enclosing(event);
        return around < 0 ? emitter.event(event) : emitter.addSpanEvent(around, event);
      }
      case 'instant': {
        const around = isOnThread(event) ? found.points.slice.values[this.point++]! : -1;
        if (this.isOwn(event)) return '';
        return around < 0 ? emitter.event(event) : emitter.addSpanEvent(around, event);
      }
      default: {
        pairing.opens(event);
        const slice = pairing.closes(event);
        return !slice || this.isOwn(slice.begin) ? '' : emitter.span(slice);
      }
    }
  }

  private isOwn(event: TraceEvent): boolean {
    return this.own?.take(this.emitter.builder, event) ?? false;
  }
}
