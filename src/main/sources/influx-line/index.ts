import { fail } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import {
  BATCH_ROWS,
  type FileHead,
  type LeftOpen,
  type MissingMetadata,
  type Source,
  type SourceInput,
} from '../../../model/storage/source.ts';
import { type Line, readLines } from '../bytes/lines.ts';
import { joined } from '../log-lines/joined.ts';
import { sortFields } from '../log-record/fields.ts';
import { liftFields } from '../log-record/lift.ts';
import { readEpoch } from '../log-record/moment.ts';
import { WallClocks } from '../log-record/wall-clocks.ts';
import { LogRecordWriter } from '../log-record/writer.ts';
import { type InfluxHead, seriesOf, wholeOf } from '../series-meaning/influx-series.ts';
import { LONGEST_NAMES, SeriesRows } from '../series-meaning/series-rows.ts';
import { surroundingsOf } from '../series-meaning/target-labels.ts';
import { type InfluxLine, readInfluxHead, readInfluxLine } from './line.ts';

/** Samples in the line protocol of InfluxDB, as Telegraf writes them and `influxd inspect export-lp` exports them. */
export const influxLine: Source = {
  id: 'influx-line',
  title: 'InfluxDB line protocol (Telegraf)',
  looks_for: 'lines such as measurement,tag=value field=1.5 1777644600000000000',
  leaves_open: ['time', 'device'],
  leftOpen,
  detect,
  read,
};

const LOOKED_AT = 20;
const MOST_HEADS = 200_000;
/** Telegraf prints tests behind an arrow. */
const withoutArrow = (text: string): string => (text.startsWith('> ') ? text.slice(2) : text);
/** Comments, and the statements by which an export makes its database. */
const isAside = (text: string): boolean => text === '' || text.startsWith('#') || text.startsWith('CREATE DATABASE ');

function firstLines({ text }: FileHead): readonly string[] {
  const complete = text.split(/\r?\n/, LOOKED_AT + 1).slice(0, text.includes('\n') ? -1 : 1);
  return complete.map((line) => withoutArrow(line.trim())).filter((line) => !isAside(line));
}

/** Only lines without a time, or without tags, need more than they state. */
function leftOpen(head: FileHead): LeftOpen {
  const read = firstLines(head)
    .map(readInfluxLine)
    .filter((line) => typeof line !== 'string');
  const missing: MissingMetadata[] = [
    ...(read.some(({ time }) => time === '') ? (['time'] as const) : []),
    ...(read.some((line) => !line.head.includes(',')) ? (['device'] as const) : []),
  ];
  return { missing, line: '', readings: [] };
}

/** Nearly every line is of the protocol, and one has a time: without, lines of key=value words could be any text. */
function detect(head: FileHead): boolean {
  const lines = firstLines(head);
  const read = lines.map(readInfluxLine).filter((line) => typeof line !== 'string');
  const isPlain = ({ head }: InfluxLine): boolean =>
    /^[^=[{"<]+(?:,|$)/.test(head) && readInfluxHead(head) !== undefined;
  const isMost = read.length > 0 && read.length * 5 >= lines.length * 4;
  return isMost && read.every(isPlain) && read.some(({ time }) => time.length > 9);
}

async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const reader = new Reader(input);
  let done = 0;
  for await (const line of readLines(input.chunks)) {
    done = line.at;
    reader.push(line);
    if (reader.builder.rowCount >= BATCH_ROWS) yield reader.finish(done);
  }
  if (!reader.isKnown)
    fail('influx_line.wrong_shape', `${input.name} has no line of the InfluxDB line protocol`, { place: input.name });
  for (const _ of reader.rows.end()) if (reader.builder.rowCount >= BATCH_ROWS) yield reader.finish(done);
  yield reader.finish(done);
}

interface KnownHead extends InfluxHead {
  /** Keys of series, by field. */
  readonly keys: Map<string, string>;
}

class Reader {
  readonly builder = new BatchBuilder();
  readonly rows: SeriesRows;
  /** Whether one line was of the protocol. */
  isKnown = false;
  private readonly input: SourceInput;
  private readonly clocks: WallClocks;
  private readonly logs: LogRecordWriter;
  private readonly heads = new Map<string, KnownHead>();

  constructor(input: SourceInput) {
    this.input = input;
    this.clocks = new WallClocks(input);
    this.rows = new SeriesRows(
      this.builder,
      surroundingsOf(input, undefined, (text) => this.builder.remark(text)),
    );
    const device = input.assume.device ?? '';
    this.logs = new LogRecordWriter(this.builder, { format: influxLine.id, device, fileName: input.name });
  }

  finish(at: number): RowBatch {
    this.rows.nextBatch();
    this.logs.nextBatch();
    return this.builder.finish(at);
  }

  push({ text: written, at }: Line): void {
    const text = withoutArrow(written.trim());
    if (isAside(text)) return;
    const line = readInfluxLine(text);
    const isLong = typeof line !== 'string' && line.head.length > LONGEST_NAMES;
    const head = typeof line === 'string' || isLong ? undefined : this.headOf(line.head);
    if (typeof line === 'string' || !head) {
      const reason = typeof line === 'string' ? line : 'a tag without a name or a value, or tags of more than 16 KiB';
      return this.builder.reject(this.input.name, at, reason, written);
    }
    const time_ns = this.timeOf(line.time);
    if (time_ns === undefined) return this.builder.reject(this.input.name, at, 'a time that is out of range', written);
    this.isKnown = true;
    const texts = line.fields.filter(([, value]) => typeof value === 'string');
    if (texts.length > 0 && sortFields(Object.fromEntries(texts)).roles.has('body'))
      return this.log(head, line, time_ns, text);
    if (texts.length > 0) this.builder.remark('fields that are text are no samples and are left out');
    const whole = wholeOf(line.fields);
    for (const [name, value] of line.fields)
      if (typeof value === 'number')
        this.rows.sample(keyOf(head, name, line.head), () => seriesOf(head, name, whole), time_ns, value);
  }

  /** A line with a message, as Telegraf's inputs of logs write it. */
  private log({ measurement, tags }: InfluxHead, { fields }: InfluxLine, time_ns: bigint, raw: string): void {
    const machine = tags.get('host');
    const program = tags.get('appname');
    const stated = Object.fromEntries([...tags].filter(([name]) => name !== 'host'));
    const record = liftFields({
      'influx.measurement': measurement,
      ...stated,
      ...(machine === undefined ? {} : { 'host.name': machine }),
      ...Object.fromEntries(fields),
    });
    this.logs.append({ ...joined(record), time_ns, raw, isKernel: program === 'kernel' });
  }

  private headOf(text: string): KnownHead | undefined {
    const known = this.heads.get(text);
    if (known) return known;
    const head = readInfluxHead(text);
    if (!head) return undefined;
    if (this.heads.size >= MOST_HEADS) this.heads.clear();
    const fresh = { ...head, keys: new Map<string, string>() };
    this.heads.set(text, fresh);
    return fresh;
  }

  /** In whichever unit the export has; without a time the server would take its own. */
  private timeOf(digits: string): bigint | undefined {
    if (digits !== '')
      return digits.length === 19 && !digits.startsWith('-') ? inRange(BigInt(digits)) : readEpoch(digits);
    const { captured, capturedFrom } = this.clocks;
    this.builder.remark(`lines without a time are placed at the time of the recording (${capturedFrom})`);
    return captured;
  }
}

const inRange = (time: bigint): bigint | undefined => (time < 2n ** 63n ? time : undefined);

function keyOf({ keys }: KnownHead, field: string, head: string): string {
  let key = keys.get(field);
  if (key === undefined) {
    key = `${head} ${field}`;
    keys.set(field, key);
  }
  return key;
}
