import { TextBuilder } from '../../../model/rows/batch-builder.ts';
import type { SeriesKind } from '../../../model/rows/rows.ts';
import { AttributeText } from '../otlp/attribute-text.ts';
import type { Output } from '../otlp/output.ts';
import { prefixPairs } from '../otlp/series-attributes.ts';
import { readAttributes } from './any-value.ts';
import {
  DATA_POINTS,
  DESCRIPTION,
  DOUBLE_GAUGE,
  DOUBLE_HISTOGRAM,
  DOUBLE_SUM,
  DOUBLE_SUMMARY,
  EXPONENTIAL_HISTOGRAM,
  GAUGE,
  HISTOGRAM,
  INT_GAUGE,
  INT_HISTOGRAM,
  INT_SUM,
  IS_MONOTONIC,
  METADATA,
  NAME,
  SUM,
  SUMMARY,
  TEMPORALITY,
  UNIT,
} from './keys.ts';
import { BrokenJson, type JsonLexer } from './lexer.ts';
import { readBoolean, readEnum } from './numbers.ts';
import { PointDecoder } from './points.ts';

const temporalities = ['UNSPECIFIED', 'DELTA', 'CUMULATIVE'];

/** The data of a metric by its key; those with a number type in the name are from before 0.9. */
const dataKinds: Readonly<Record<number, SeriesKind>> = {
  [GAUGE]: 'gauge',
  [INT_GAUGE]: 'gauge',
  [DOUBLE_GAUGE]: 'gauge',
  [SUM]: 'sum',
  [INT_SUM]: 'sum',
  [DOUBLE_SUM]: 'sum',
  [HISTOGRAM]: 'histogram',
  [INT_HISTOGRAM]: 'histogram',
  [DOUBLE_HISTOGRAM]: 'histogram',
  [EXPONENTIAL_HISTOGRAM]: 'exponential_histogram',
  [SUMMARY]: 'summary',
  [DOUBLE_SUMMARY]: 'summary',
};

interface Found {
  metric: string;
  description: string;
  unit: string;
  kind: SeriesKind | undefined;
  temporality: 0 | 1 | 2;
  monotonic: boolean;
  /** Where the lists of data points start. */
  points: number[];
}

/** What the record reader of a document does with trouble. */
export interface RecordSink {
  reject(at: number, reason: string): void;
}

/** Decodes `Metric` objects of OTLP/JSON. Points are read last: what they belong to may be written after them. */
export class MetricDecoder {
  private readonly lexer: JsonLexer;
  private readonly out: Output;
  private readonly points: PointDecoder;
  private readonly scratch = new TextBuilder();
  private readonly metadata = new AttributeText();

  constructor(lexer: JsonLexer, out: Output) {
    this.lexer = lexer;
    this.out = out;
    this.points = new PointDecoder(lexer, out);
  }

  /** Reads one metric. When the text breaks in it, the points before the break are kept and the break goes on up. */
  read(base: number, sink: RecordSink): void {
    const { lexer } = this;
    lexer.problem = '';
    const start = lexer.position;
    const found: Found = {
      metric: '',
      description: '',
      unit: '',
      kind: undefined,
      temporality: 0,
      monotonic: false,
      points: [],
    };
    let broken: BrokenJson | undefined;
    this.scratch.length = 0;
    this.metadata.begin(this.scratch);
    try {
      if (!lexer.enterObject()) lexer.note('metric is not an object');
      else for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) this.field(key, found);
    } catch (error) {
      if (!(error instanceof BrokenJson)) throw error;
      broken = error;
    }
    // A metric without a name and data is nothing; data of a kind yet unknown is a loss to be seen.
    if (!found.kind && !broken && found.metric !== '') lexer.note(`metric ${found.metric} has no data of a known kind`);
    // In a truncated text the name may have been after the break.
    if (found.kind && !broken && found.metric === '') lexer.note('metric without a name');
    if (lexer.problem !== '') sink.reject(start, lexer.problem);
    else if (found.kind && found.metric !== '') this.readPoints(found, found.kind, base, sink);
    if (broken) throw broken;
  }

  private field(key: number, found: Found): void {
    const { lexer } = this;
    switch (key) {
      case NAME:
        found.metric = lexer.string();
        return;
      case DESCRIPTION:
        found.description = lexer.string();
        return;
      case UNIT:
        found.unit = lexer.string();
        return;
      case METADATA:
        return readAttributes(lexer, this.metadata);
      default: {
        const kind = dataKinds[key];
        if (!kind) return lexer.skipValue();
        this.data(kind, found);
      }
    }
  }

  private data(kind: SeriesKind, found: Found): void {
    const { lexer } = this;
    if (!lexer.enterObject()) return;
    found.kind = kind;
    for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) {
      if (key === TEMPORALITY) found.temporality = readEnum(lexer, temporalities) as 0 | 1 | 2;
      else if (key === IS_MONOTONIC) found.monotonic = readBoolean(lexer);
      else {
        if (key === DATA_POINTS) found.points.push(lexer.position);
        lexer.skipValue();
      }
    }
  }

  private readPoints(found: Found, kind: SeriesKind, base: number, sink: RecordSink): void {
    const { lexer, out } = this;
    const { metric, description, unit, temporality, monotonic } = found;
    this.metadata.end();
    const metadata = prefixPairs(this.metadata.toString(), 'otel.metric.');
    this.points.writer.beginMetric({ metric, description, unit, kind, temporality, monotonic, metadata });
    const after = lexer.position;
    for (const list of found.points) {
      lexer.position = list;
      lexer.problem = '';
      if (!lexer.enterArray()) {
        if (lexer.problem !== '') sink.reject(list, lexer.problem);
        continue;
      }
      for (let more = lexer.firstItem(); more; more = lexer.nextItem()) {
        lexer.peek();
        const start = lexer.position;
        const problem = this.points.read();
        if (problem !== '') sink.reject(start, problem);
        out.recordDone(base + lexer.position);
      }
    }
    lexer.position = after;
  }
}
