import type { Severity } from '../../../model/entity.ts';
import { severities } from '../../../model/entity.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, appendSample } from '../../../model/rows/records.ts';
import { rawText } from '../bytes/json-access.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { contentId } from '../traces/ids.ts';
import { attributesJson } from '../traces/span-rows.ts';
import type { Clock } from './clock.ts';
import { appendCollective, isCollective } from './collective.ts';
import type { TraceEvent } from './format.ts';
import type { Slice } from './pairing.ts';
import type { Survey } from './survey.ts';
import type { Owner, Owners } from './who.ts';

const INTERNAL = 1;
/** Members of an event that have a column or are read elsewhere. */
const mappedMembers: ReadonlySet<string> = new Set(['ph', 'name', 'cat', 'pid', 'tid', 'ts', 'dur', 'args', 's', 'bp']);

/** What a track is in the batch at hand. */
interface TrackRows {
  readonly owner: number;
  readonly resource: number;
}

/** Turns events into rows, with what the survey found out. */
export class Emitter {
  builder = new BatchBuilder();
  private readonly found: Survey;
  private readonly owners: Owners;
  private readonly clock: Clock;
  private tracks: (TrackRows | undefined)[] = [];
  private readonly edges = new Set<string>();
  private readonly salts = new Map<string, bigint>();

  constructor(found: Survey, owners: Owners, clock: Clock) {
    this.found = found;
    this.owners = owners;
    this.clock = clock;
  }

  /** Hands the batch over; what was numbered in it is numbered anew in the next one. */
  finish(consumed: number) {
    this.tracks = [];
    return this.builder.finish(consumed);
  }

  /** Why the slice is no span; '' when it is one. */
  span({ index, begin, end }: Slice): string {
    const { slices } = this.found;
    const start_ns = this.clock.at(begin.ts);
    const open = end === undefined && begin.phase !== 'complete';
    const end_ns = this.clock.at(slices.end.values[index]!);
    if (start_ns === undefined || end_ns === undefined) return 'the time is out of range';
    const track = slices.track.values[index]!;
    const { owner, resource } = this.track(track);
    const parent = slices.parent.values[index]!;
    this.builder.table('span').push({
      ...this.ids(index),
      parent_id: parent < 0 ? 0n : this.spanId(parent),
      start_ns,
      end_ns,
      name: this.builder.name(begin.name),
      service: owner,
      resource,
      scope: -1,
      kind: INTERNAL,
      status: 0,
      flags: 0,
      trace_state: '',
      status_message: '',
      attributes: attributesOf(begin, { ...end?.args, ...(open ? { unfinished: true } : {}) }),
      dropped: 0,
    });
    if (isCollective(begin)) appendCollective(this.builder, this.found.header, owner, begin, start_ns, end_ns);
    return '';
  }

  /** Something that happened inside a slice. */
  addSpanEvent(slice: number, event: TraceEvent): string {
    const time_ns = this.clock.at(event.ts);
    if (time_ns === undefined) return 'the time is out of range';
    const attributes = attributesOf(event);
    this.builder
      .table('span_event')
      .push({ ...this.ids(slice), time_ns, name: this.builder.name(event.name), attributes });
    return '';
  }

  /** Something that happened to a process as a whole. */
  event(event: TraceEvent): string {
    const time_ns = this.clock.at(event.ts);
    if (time_ns === undefined) return 'the time is out of range';
    const severityText = String(event.args['severity'] ?? '').toLowerCase() as Severity;
    const owner = this.owners.of(event.pid);
    appendEvent(this.builder, {
      entity: owner.server ? this.server(owner) : this.entity(owner),
      time_ns,
      type: 'process_event',
      severity: severities.includes(severityText) ? severityText : 'low',
      message: event.name,
      origin: event.category === 'causal_chain' ? 'ingero' : 'chrome trace',
      attributes: { ...(event.category === '' ? {} : { category: event.category }), pid: event.pid, ...event.args },
      raw: rawText(event.record),
    });
    return '';
  }

  /** The values of a counter, each a series. */
  counter(event: TraceEvent): string {
    const time_ns = this.clock.at(event.ts);
    if (time_ns === undefined) return 'the time is out of range';
    if (event.name === '') return 'the counter has no name';
    const entity = this.entity(this.owners.of(event.pid));
    const { id } = event.record;
    const counter = typeof id === 'string' || typeof id === 'number' ? id : undefined;
    let values = 0;
    for (const [series, value] of Object.entries(event.args)) {
      if (typeof value !== 'number') continue;
      values++;
      const metric = { name: event.name, unit: '' };
      appendSample(this.builder, {
        entity,
        metric,
        time_ns,
        value,
        attributes: { series, id: counter, pid: event.pid },
      });
    }
    return values === 0 ? 'the counter has no number' : '';
  }

  /** A flow from one slice to another: the later one links to the earlier one. */
  link(from: number, to: number, flow: string): void {
    const earlier = this.ids(from);
    this.builder.table('span_link').push({
      ...this.ids(to),
      linked_trace_hi: earlier.trace_hi,
      linked_trace_lo: earlier.trace_lo,
      linked_span_id: earlier.span_id,
      trace_state: '',
      attributes: attributesJson({ flow }),
    });
  }

  /** A trace is what happens inside one outermost slice; all traces of a process share their upper half. */
  private ids(index: number) {
    const { root, track } = this.found.slices;
    const outermost = root.values[index]!;
    return {
      trace_hi: this.salt(track.values[outermost]!),
      trace_lo: this.spanId(outermost),
      span_id: this.spanId(index),
    };
  }

  /** Two recordings may count from zero both: whose it is, and since when, makes the difference. */
  private spanId(index: number): bigint {
    const { id, track } = this.found.slices;
    return id.values[index]! ^ this.salt(track.values[index]!) || 1n;
  }

  private salt(track: number): bigint {
    const { pid } = this.found.tracks.list[track] as { readonly pid: string };
    let salt = this.salts.get(pid);
    if (salt === undefined) {
      const { base_ns, attributes } = this.found.header;
      const { rank } = this.owners.of(pid);
      salt = contentId(
        `${rank ?? ''}\n${base_ns}\n${this.found.tracks.process(pid).name}\n${attributes['trace_name'] ?? ''}`,
      );
      this.salts.set(pid, salt);
    }
    return salt;
  }

  private track(number: number): TrackRows {
    let known = this.tracks[number];
    if (!known) {
      const { list } = this.found.tracks;
      const track = list[number]!;
      const owner = this.entity(this.owners.of(track.pid));
      const attributes = attributesJson(this.resource(track));
      known = { owner, resource: this.builder.resource({ entity: owner, attributes, schema_url: '' }) };
      this.tracks[number] = known;
    }
    return known;
  }

  private resource(track: { readonly pid: string; readonly tid: string }): Record<string, unknown> {
    const { tracks } = this.found;
    const { name, labels } = tracks.process(track.pid);
    const { rank, server } = this.owners.of(track.pid);
    const thread = tracks.thread(track);
    const onDevice = /^GPU\b/.test(labels) || /^stream\b/i.test(thread);
    return Object.fromEntries(
      Object.entries({
        rank,
        'host.name': server || undefined,
        'process.pid': track.pid || undefined,
        'process.name': name || undefined,
        'process.labels': labels || undefined,
        [onDevice ? 'cuda.stream' : 'thread.id']: track.tid || undefined,
        'thread.name': thread || undefined,
      }).filter(([, value]) => value !== undefined),
    );
  }

  private entity(owner: Owner): number {
    const entity = this.builder.entity(owner.kind, owner.id, [], attributesJson(this.found.header.attributes));
    if (owner.server && !this.edges.has(owner.id)) {
      this.edges.add(owner.id);
      appendEdge(this.builder, { from: entity, kind: 'runs_on', to: this.server(owner), provenance: 'chrome trace' });
    }
    return entity;
  }

  private server({ server }: Owner): number {
    return this.builder.entity('server', server, [{ kind: 'host_name', name: server }]);
  }
}

/** Category, arguments and whatever else an event carries, as JSON object text. */
function attributesOf({ category, args, record }: TraceEvent, more: Readonly<Record<string, unknown>> = {}): string {
  const rest = Object.entries(record).filter(([key]) => !mappedMembers.has(key));
  return attributesJson({
    ...(category === '' ? {} : { category }),
    ...args,
    ...more,
    ...Object.fromEntries(rest.map(([key, value]) => [`chrome.${key}`, value])),
  });
}
