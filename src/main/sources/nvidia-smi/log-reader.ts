import { csvFields } from '../../../base/csv-reader.ts';
import { parseLocalTime } from '../../../model/local-time.ts';
import { ProblemError } from '../../../model/problem.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { SourceInput } from '../../../model/storage/source.ts';
import { formatUtc } from '../../../model/time.ts';
import type { Line } from '../bytes/lines.ts';
import { type CsvTable, headerOf } from './csv-table.ts';
import type { GpuRecord } from './gpu-record.ts';
import { gpusOf, logTime } from './read-xml.ts';
import { type KnownGpu, RecordWriter } from './record-writer.ts';
import { parseXml, textAt, XmlError } from './xml.ts';

/** A log of a machine with many processes is a few MB; one that does not end must not fill the memory. */
const MAX_LOG = 128 * 1024 * 1024;
interface Row {
  readonly table: CsvTable;
  readonly cells: readonly string[];
  readonly line: Line;
}

/** Reads XML logs and CSV tables out of a file that may hold several of either, among other text. */
export class LogReader {
  rows = 0;
  private xml: { at: number; text: string[]; length: number } | undefined;
  private table: CsvTable | undefined;
  /** The latest row of each GPU of a table without times: only it can have been printed at the file's time. */
  private timeless = new Map<string, Row>();
  private isCapture = false;
  private readonly builder: BatchBuilder;
  private readonly input: SourceInput;
  private readonly writer: RecordWriter;
  private readonly zone: string;

  constructor(builder: BatchBuilder, input: SourceInput) {
    this.builder = builder;
    this.input = input;
    this.writer = new RecordWriter(builder, input.assume.device ?? undefined);
    this.zone = input.assume.zone ?? 'UTC';
  }

  line(line: Line): void {
    const text = line.text.trim();
    if (this.xml || /^<(\?xml|!DOCTYPE nvidia_smi_log|nvidia_smi_log)/.test(text)) return this.xmlLine(line);
    if (/^# \$ nvidia-smi/.test(text)) this.isCapture = true;
    if (text === '') return;
    const table = headerOf(text);
    if (table) {
      this.endTable();
      this.table = table;
      return;
    }
    const cells = csvFields(text);
    if (this.table && cells.length === this.table.width && !text.startsWith('#'))
      this.csvRow({ table: this.table, cells, line });
    else if (this.isCapture) this.endTable();
    else
      this.reject(
        line,
        this.table ? `${cells.length} columns where the header has ${this.table.width}` : 'no header before it',
      );
  }

  end(): void {
    this.endTable();
    if (this.xml)
      this.builder.reject(
        this.input.name,
        this.xml.at,
        'the file ends inside an XML log',
        this.xml.text.join('\n').slice(0, 500),
      );
    if (this.isCapture) this.builder.remark('of this capture only CSV tables and XML logs are read');
  }

  private reject({ at, text }: Line, reason: string): void {
    this.builder.reject(this.input.name, at, reason, text);
  }

  private xmlLine({ at, text }: Line): void {
    this.xml ??= { at, text: [], length: 0 };
    this.xml.text.push(text);
    this.xml.length += text.length;
    const whole = text.includes('</nvidia_smi_log>');
    if (!whole && this.xml.length < MAX_LOG) return;
    const log = this.xml.text.join('\n');
    const start = this.xml.at;
    this.xml = undefined;
    if (!whole) return this.builder.reject(this.input.name, start, 'an XML log is larger than such a log can be');
    // Several logs may share a line.
    for (const part of log.split(/(?<=<\/nvidia_smi_log>)/)) if (part.trim() !== '') this.xmlLog(part, start);
  }

  private xmlLog(text: string, at: number): void {
    try {
      const log = parseXml(text);
      if (log.name !== 'nvidia_smi_log') throw new XmlError(`a root element <${log.name.slice(0, 40)}>`);
      this.remarkZone();
      const time_ns = logTime(textAt(log, 'timestamp'), this.zone);
      for (const { record, slices, processes } of gpusOf(log, time_ns, this.input.assume.device ?? undefined)) {
        const gpu = this.writer.gpu(this.named(record));
        if (!gpu) continue;
        this.rows++;
        this.writer.record(gpu, record, text.length < 4096 ? text : '');
        for (const slice of slices) this.writer.slice(gpu, slice, time_ns);
        for (const process of processes) this.writer.process(gpu, process, time_ns);
      }
    } catch (error) {
      if (!(error instanceof XmlError || error instanceof ProblemError)) throw error;
      this.builder.reject(this.input.name, at, error.message, text.slice(0, 500));
    }
  }

  private csvRow(row: Row): void {
    const { table, cells, line } = row;
    if (table.isList) return this.builder.remark('lists of retired pages are left out');
    if (!table.hasTimes) {
      const { uuid, index, pci } = table.names(cells);
      const key = `${uuid ?? ''} ${index ?? ''} ${pci ?? ''} ${table.cell(cells, 'pid')}`;
      const earlier = this.timeless.get(key);
      if (earlier) this.reject(earlier.line, 'a row without a time before the last one of its GPU');
      this.timeless.set(key, row);
      return;
    }
    try {
      const time_ns = parseLocalTime(table.cell(cells, 'timestamp'), this.zone);
      this.remarkZone();
      this.write(row, time_ns);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.reject(line, error.message);
    }
  }

  private endTable(): void {
    const file = this.input.files[0];
    for (const row of this.timeless.values()) {
      if (!file) this.reject(row.line, 'no timestamp column, and the time of the query is unknown');
      else {
        const { captured_ns, captured_from } = file;
        this.builder.remark(`no times in the file: taken as recorded at ${formatUtc(captured_ns)} (${captured_from})`);
        this.write(row, captured_ns);
      }
    }
    this.timeless = new Map();
    this.table = undefined;
  }

  private write({ table, cells, line }: Row, time_ns: bigint): void {
    const names = table.names(cells);
    const gpu = this.writer.gpu(this.named({ names, attributes: table.attributes(cells) })) ?? this.nameless(table);
    if (!gpu) return this.reject(line, 'the row names no GPU');
    this.rows++;
    const process = table.process(cells);
    if (process) return this.writer.process(gpu, process, time_ns);
    if (table.isOfProcesses) return;
    const reasons = table.reasons(cells);
    this.writer.record(
      gpu,
      {
        names,
        attributes: table.attributes(cells),
        time_ns,
        properties: table.properties(cells),
        reasons,
        limits: new Map(),
      },
      line.text,
    );
  }

  /** A table without a column that names GPUs is about the only one of the machine, or nothing can be made of it. */
  private nameless(table: CsvTable): KnownGpu | undefined {
    if (table.namesGpus) return undefined;
    const id = `${this.input.assume.device ?? this.fileName}/gpu`;
    this.builder.remark(`no column names the GPU: all rows are taken as about one, "${id}"`);
    return { id, entity: this.builder.entity('gpu', id) };
  }

  private get fileName(): string {
    return (this.input.name.split('/').at(-1) ?? '').replace(/(.)\.[^.]*$/, '$1');
  }

  /** An index or a bus address counts on one machine: without its name, on the machine that the file is called after. */
  private named<T extends Pick<GpuRecord, 'names'>>(record: T): T {
    const { names } = record;
    if (names.uuid || names.host || this.input.assume.device) return record;
    const host = this.fileName;
    if (!(names.index || names.pci)) return record;
    this.builder.remark(`GPUs without a UUID are taken as those of "${host}" (the file's name)`);
    return { ...record, names: { ...names, host } };
  }

  private remarkZone(): void {
    if (this.input.assume.zone === null) this.builder.remark('times have no zone: read as UTC');
  }
}
