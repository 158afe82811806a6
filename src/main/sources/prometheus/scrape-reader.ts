import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { SourceFile } from '../../../model/storage/source.ts';
import { formatUtc, type Nanos } from '../../../model/time.ts';
import type { Line } from '../bytes/lines.ts';
import type { PointWriter } from '../series-meaning/point-writer.ts';
import { parseComment } from './comment-line.ts';
import { Families, type Family, type Part, seriesOf } from './families.ts';
import { Groups } from './groups.ts';
import { LineError, parseSampleLine, type SampleLine } from './sample-line.ts';
import { clockLine, sampleTime } from './scrape-time.ts';
import { ScrapeBoundary, type Survey, timelessKey } from './survey.ts';

const YEAR_2000_NS = 946_684_800_000_000_000n;

/** Reads a file of scrapes line by line into rows. */
export class ScrapeReader {
  private readonly families = new Families();
  private readonly groups = new Groups();
  private readonly boundary = new ScrapeBoundary();
  private family: Family | undefined;
  private clock: Nanos | undefined;
  /** Scrapes without a time so far; only the last one can have been written at the file's time. */
  private timeless = 0;
  private isTimeless = false;
  private readonly builder: BatchBuilder;
  private readonly writer: PointWriter;
  private readonly survey: Survey;
  private readonly file: SourceFile | undefined;
  private readonly name: string;
  /** The remark on missing times: of every sample without one, so it is written once. */
  private noTimes: string | undefined;

  constructor(builder: BatchBuilder, writer: PointWriter, survey: Survey, file: SourceFile | undefined, name: string) {
    this.builder = builder;
    this.writer = writer;
    this.survey = survey;
    this.file = file;
    this.name = name;
  }

  /** Reads a line; yields wherever a batch may end. */
  *line({ text, at }: Line): Generator<void> {
    const line = text.trim();
    if (line === '') return;
    if (this.boundary.startsScrape(line)) {
      yield* this.end();
      this.families.nextScrape();
      this.isTimeless = false;
    }
    const clock = clockLine(line);
    if (clock !== undefined) {
      this.clock = clock;
      return;
    }
    try {
      if (line.startsWith('#')) this.comment(line);
      else yield* this.sample(line, at);
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      this.builder.reject(this.name, at, error.message, text);
    }
  }

  /** Writes the distributions that are still open. */
  end(): Generator<void> {
    return this.groups.flush(this.writer);
  }

  private comment(line: string): void {
    const comment = parseComment(line);
    if (comment.kind === 'end' || comment.kind === 'other') return;
    const family = this.families.of(comment.name);
    if (comment.kind === 'help') family.help = comment.text;
    else if (comment.kind === 'unit') family.unit = comment.text;
    else if (comment.kind === 'type') {
      if (family.hasSamples && !family.typed) throw new LineError('TYPE after the samples that it is about');
      family.type = comment.type;
      family.typed = true;
    }
  }

  private *sample(line: string, at: number): Generator<void> {
    const { openMetrics } = this.survey;
    const sample = parseSampleLine(line, { openMetrics });
    const { family, part } = this.families.place(sample.name, sample.labels);
    family.hasSamples = true;
    const time_ns = this.timeOf(sample, line, at);
    if (time_ns === undefined) return;
    if (openMetrics && this.family !== family) yield* this.end();
    this.family = family;
    this.write(sample, family, part, time_ns);
    if (this.groups.isFull) yield* this.end();
  }

  private write(sample: SampleLine, family: Family, part: Part, time_ns: bigint): void {
    const { name, labels, value, key } = sample;
    const exemplar = this.exemplarOf(sample, time_ns);
    const grouped = /histogram|summary/.test(family.type) || (this.survey.openMetrics && family.type === 'counter');
    if (grouped) {
      const problem = this.groups.add({ family, part, name, labels, value, time_ns, exemplar });
      if (problem !== '') throw new LineError(problem);
      return;
    }
    this.writer.point(key, () => seriesOf(family, name, labels), time_ns, value);
  }

  private exemplarOf({ exemplar }: SampleLine, time_ns: bigint) {
    if (!exemplar) return undefined;
    const time = exemplar.time === '' ? undefined : sampleTime(exemplar.time, true);
    return { labels: exemplar.labels, value: exemplar.value, time_ns: time?.time ?? time_ns };
  }

  private timeOf({ time }: SampleLine, line: string, at: number): bigint | undefined {
    if (time === '') return this.clock ?? this.fileTime(line, at);
    const found = sampleTime(time, this.survey.openMetrics);
    if (!found) throw new LineError('the timestamp is out of range');
    if (found.odd) this.builder.remark('timestamps too large for the seconds of OpenMetrics are read as milliseconds');
    else if (found.time < YEAR_2000_NS)
      this.builder.remark('times before the year 2000: this format counts milliseconds, the file may mean seconds');
    return found.time;
  }

  /** The file's own time; scrapes before the last one are older, at an unknown time. */
  private fileTime(line: string, at: number): bigint | undefined {
    if (!this.isTimeless && timelessKey(line) !== undefined) {
      this.isTimeless = true;
      this.timeless++;
      if (this.timeless < this.survey.timeless)
        this.builder.reject(this.name, at, 'a scrape without a time before the last one of the file', line);
    }
    if (this.timeless < this.survey.timeless) return undefined;
    if (!this.file) throw new LineError('no timestamp, and the time of the scrape is unknown');
    const { captured_ns, captured_from } = this.file;
    this.noTimes ??= `no times in the file: taken as recorded at ${formatUtc(captured_ns)} (${captured_from})`;
    this.builder.remark(this.noTimes);
    return captured_ns;
  }
}
