import { ProblemError } from '../../../model/problem.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { type Envelope, unwrap } from '../log-lines/envelope.ts';
import { nothing, type ReadLine } from '../log-lines/grammar.ts';
import { readLine } from '../log-lines/grammars.ts';
import { liftFields } from '../log-record/lift.ts';
import type { WallClocks } from '../log-record/wall-clocks.ts';
import type { LogRecordWriter } from '../log-record/writer.ts';
import { readStep } from '../training-steps/read-step.ts';
import { beginsAnew } from './begins-anew.ts';

/** A record whose next lines may still come. */
interface OpenRecord {
  readonly line: ReadLine;
  readonly time_ns: bigint;
  readonly envelope: Envelope;
  readonly at: number;
  /** Further lines: a stack trace. */
  readonly more: string[];
  length: number;
}

const MOST_ENVELOPES = 3;
/** Text of one record; what goes beyond is counted. */
const LONGEST_RECORD = 1024 * 1024;
/** Streams at once: a file has two, stdout and stderr. */
const MOST_STREAMS = 16;
/** Lines that go on what came before although an envelope gives each its own time. */
export const CONTINUES =
  /^(?:\s|Traceback \(most recent call last\)|Caused by:|\.{3} \d+ more|[A-Za-z_][\w.]{0,150}(?:Error|Exception|Interrupt)(?::|$))/;

const ERROR_LINE = /^[A-Za-z_][\w.]{0,150}(?:Error|Exception|Interrupt)(?::|$)/;

/** What is known of a file before its records. */
interface Beginning {
  /** Time of records that come before any time, ns; undefined: the file has no times. */
  readonly first: bigint | undefined;
  /** The file is JSON lines. */
  readonly isJson: boolean;
  /** The file is being written: `first` is when its lines were read. */
  readonly isFollowed: boolean;
}

/** Joins the lines of a file into records, and writes them. */
export class Records {
  private readonly name: string;
  private readonly builder: BatchBuilder;
  private readonly writer: LogRecordWriter;
  private readonly clocks: WallClocks;
  private readonly first: bigint | undefined;
  private readonly isJson: boolean;
  private readonly isFollowed: boolean;
  private readonly open = new Map<string, OpenRecord>();
  /** Beginnings of lines that the runtime cut, by stream. */
  private readonly parts = new Map<string, string>();
  private before: bigint | undefined;

  constructor(
    name: string,
    {
      builder,
      writer,
      clocks,
    }: { readonly builder: BatchBuilder; readonly writer: LogRecordWriter; readonly clocks: WallClocks },
    { first, isJson, isFollowed }: Beginning,
  ) {
    this.name = name;
    this.builder = builder;
    this.writer = writer;
    this.clocks = clocks;
    this.first = first;
    this.isJson = isJson;
    this.isFollowed = isFollowed;
  }

  push(text: string, at: number): void {
    const outer = unwrapAll(text);
    // Streams of envelopes may be open beside a text log.
    if (this.hasStreams && beginsAnew(text)) this.endFile(at);
    const envelope = this.joined(outer);
    if (!envelope || envelope.text.trim() === '') return;
    const found = readLine(envelope.text);
    if (!found && this.isJson && envelope.text.startsWith('{"')) {
      this.refuse('malformed JSON', envelope.text, at);
      return;
    }
    // In a text log, JSON without a time belongs to the text before it.
    const isDump =
      found?.isJson === true && !this.isJson && found.moment === undefined && envelope.time_ns === undefined;
    const line = isDump && this.open.has(envelope.stream) ? undefined : found;
    if (!line && this.continues(envelope, at)) return;
    const time = this.timeOf(line, envelope, text, at);
    if (time === undefined) return;
    this.finish(envelope.stream);
    if (this.open.size >= MOST_STREAMS) this.end();
    const known = line ?? plainLine(envelope.text);
    if (known.remark !== undefined) this.builder.remark(known.remark);
    this.open.set(envelope.stream, { line: known, time_ns: time, envelope, at, more: [], length: text.length });
  }

  /** Whether a row can be added beside this: only what a record of its own ends may be open, and is written now. */
  startsAfresh(): boolean {
    if (this.hasStreams) return false;
    this.finish('');
    return true;
  }

  /** Something else than the last record is open. */
  private get hasStreams(): boolean {
    const { open, parts } = this;
    return parts.size > 0 || open.size > 1 || (open.size === 1 && !open.has(''));
  }

  /** Writes what is still open; what was cut has no end. `at`: where the lines end. */
  endFile(at: number): void {
    this.end();
    for (const text of this.parts.values())
      this.builder.reject(this.name, at, 'the rest of a line that the container runtime cut is missing', text);
    this.parts.clear();
  }

  /** Writes what is still open. */
  end(): void {
    for (const stream of [...this.open.keys()]) this.finish(stream);
  }

  /** The whole line once its last part is there. */
  private joined(envelope: Envelope): Envelope | undefined {
    const { stream } = envelope;
    const start = this.parts.get(stream) ?? '';
    const text = start + envelope.text;
    if (envelope.partial && text.length < LONGEST_RECORD && this.parts.size < MOST_STREAMS) {
      this.parts.set(stream, text);
      return undefined;
    }
    if (start === '') return envelope;
    this.parts.delete(stream);
    return { ...envelope, text };
  }

  /** Whether a line that no grammar knows was added to the record before, or counted as a reject. */
  private continues(envelope: Envelope, at: number): boolean {
    const { stream, text, time_ns } = envelope;
    const record = this.open.get(stream);
    if (time_ns !== undefined && !(record && goesOn(record, envelope))) return false;
    if (!record) this.builder.reject(this.name, at, 'a line without a time, before any record', text);
    else if (record.length + text.length > LONGEST_RECORD)
      this.builder.reject(this.name, at, 'a record is longer than 1 MiB: this line of it is left out', text);
    else {
      record.more.push(text);
      record.length += text.length + 1;
    }
    return true;
  }

  private timeOf(line: ReadLine | undefined, { time_ns }: Envelope, raw: string, at: number): bigint | undefined {
    try {
      const moment = line?.moment;
      // The runtime's clock has a zone and a date; a clock without a zone in the line adds nothing to it.
      const time =
        typeof moment === 'bigint' ? moment : (time_ns ?? (moment && this.clocks.instant(moment, this.builder)));
      if (time !== undefined) {
        this.before = time;
        return time;
      }
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return this.refuse(error.problem.message, raw, at);
    }
    return line?.isJson ? this.refuse('a JSON record without a time', raw, at) : this.timeless();
  }

  /** What follows goes on nothing: rows must not depend on where a file is cut for several readers. */
  private refuse(reason: string, text: string, at: number): undefined {
    this.builder.reject(this.name, at, reason, text);
    this.end();
    this.before = undefined;
  }

  private timeless(): bigint {
    const known = this.before ?? this.first;
    if (known !== undefined) {
      const isRead = this.before === undefined && this.isFollowed;
      const before = isRead ? 'reading, where no line before has one' : 'the line before';
      this.builder.remark(`lines without a time are placed at the time of ${before}`);
      return known;
    }
    const { captured, capturedFrom } = this.clocks;
    this.builder.remark(
      `the log has no times: every line is placed at ${formatUtc(nanos(captured))} (${capturedFrom})`,
    );
    return captured;
  }

  private finish(stream: string): void {
    const record = this.open.get(stream);
    if (!record) return;
    this.open.delete(stream);
    const { line, envelope, more, time_ns } = record;
    const body = more.length === 0 ? line.body : [line.body, ...more].join('\n');
    const outer = envelope.fields === nothing ? undefined : liftFields(envelope.fields);
    const stdio = (envelope.stdio ?? stream) || undefined;
    this.writer.append({
      time_ns,
      severity: line.severity,
      severity_text: line.severity_text,
      body,
      scope: line.scope,
      ...(line.context && { context: line.context }),
      resource: outer ? { ...outer.resource, ...line.resource } : line.resource,
      attributes:
        stdio === undefined && !outer
          ? line.attributes
          : { ...outer?.attributes, ...line.attributes, 'log.iostream': stdio },
      rank: line.rank,
      raw: more.length === 0 ? envelope.text : [envelope.text, ...more].join('\n'),
    });
  }
}

/**
 * Behind the time of a store, only a stack trace that has begun ends with its error; a line of such words may stand alone. Progress
 * bars and the steps of Megatron-LM are indented.
 */
const goesOn = ({ more }: OpenRecord, { stream, text }: Envelope): boolean =>
  CONTINUES.test(text) &&
  (stream !== '' || !ERROR_LINE.test(text) || /^\s/.test(more.at(-1) ?? '')) &&
  readStep(text)?.['training.step'] === undefined;

/** Takes envelopes off until a bare line is left. */
export function unwrapAll(text: string): Envelope {
  let outer = unwrap(text);
  for (let i = 1; i < MOST_ENVELOPES && outer.time_ns !== undefined && !outer.partial; i++) {
    const inner = unwrap(outer.text);
    if (inner.time_ns === undefined) break;
    outer = { ...inner, partial: inner.partial, fields: { ...outer.fields, ...inner.fields } };
  }
  return outer.fields !== nothing && Object.keys(outer.fields).length === 0 ? { ...outer, fields: nothing } : outer;
}

/** A line of which only its envelope is known. */
const plainLine = (text: string): ReadLine => {
  const lifted = liftFields({ message: text });
  return {
    moment: undefined,
    severity: lifted.severity,
    severity_text: lifted.severity_text,
    body: text,
    scope: '',
    resource: nothing,
    attributes: lifted.rank === undefined ? nothing : { rank: lifted.rank },
    context: lifted.context,
    rank: lifted.rank,
  };
};
