import { Malformed, WIRE, WireReader } from '../bytes/protobuf-wire.ts';
import type { Exemplar } from '../series-meaning/point-writer.ts';
import { LONGEST_NAMES } from '../series-meaning/series-rows.ts';
import { metricTypes, type WrittenSeries } from './format.ts';
import { type NativeHistogram, readNativeHistogram, repeated } from './native-histogram.ts';
import { readSample, timeOf, type WrittenSample } from './sample.ts';

/** Names and values of labels of one request; senders have some thousand. */
const MOST_SYMBOLS = 1_000_000;
/** Keys of the fields of a request: 1 and 3 are of version 1, 4 and 5 of version 2. */
const SERIES_1 = 0x0a;
const METADATA_1 = 0x1a;
const SYMBOL = 0x22;
const SERIES_2 = 0x2a;

/** What a request contains, in order. */
export type Written =
  | { readonly kind: 'series'; readonly series: WrittenSeries }
  /** Types and texts of version 1, which come apart from their series. */
  | { readonly kind: 'metadata' }
  /** @property at place in the decompressed request */
  | { readonly kind: 'reject'; readonly at: number; readonly reason: string };

/**
 * Reads decompressed requests of both versions: their fields have different numbers, which is how they are known. Since version 2.0-rc.4
 * samples and histograms state when they began (their fields 3 and 17), before it the series did (field 6, which is reserved now).
 * Sources: https://github.com/prometheus/prometheus, `prompb/io/prometheus/write/v2/types.proto` and `prompb/types.proto`.
 */
export class WriteRequestReader {
  private readonly wire = new WireReader();
  private readonly decoder = new TextDecoder();
  private symbols: (string | number)[] = [];
  private ends: number[] = [];

  /** Everything in a request; of one that is cut, what precedes the cut. Series that are no such messages are rejects. */
  *read(bytes: Uint8Array): Generator<Written> {
    const { wire } = this;
    wire.open(bytes);
    const end = bytes.length;
    let broken = this.findSymbols(end);
    wire.position = 0;
    while (wire.position < (broken?.at ?? end)) {
      const at = wire.position;
      try {
        const key = wire.key(end);
        if (key === METADATA_1) yield { kind: 'metadata' };
        if (key !== SERIES_1 && key !== SERIES_2) {
          wire.skip(key, end);
          continue;
        }
        const stop = wire.lengthEnd(end);
        yield this.seriesOrReject(stop, key === SERIES_2);
        wire.position = stop;
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
        broken = { at, reason: error.message };
      }
    }
    if (broken) yield { kind: 'reject', ...broken };
  }

  /** Where each symbol is: they may follow the series that refer to them. */
  private findSymbols(end: number): { readonly at: number; readonly reason: string } | undefined {
    const { wire } = this;
    this.symbols = [];
    this.ends = [];
    wire.position = 0;
    let at = 0;
    try {
      while (wire.position < end) {
        at = wire.position;
        const key = wire.key(end);
        if (key !== SYMBOL) {
          wire.skip(key, end);
          continue;
        }
        const stop = wire.lengthEnd(end);
        if (this.symbols.length >= MOST_SYMBOLS) throw new Malformed(at, `over ${MOST_SYMBOLS} symbols`);
        this.symbols.push(wire.position);
        this.ends.push(stop);
        wire.position = stop;
      }
      return undefined;
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      return { at, reason: error.message };
    }
  }

  private seriesOrReject(end: number, isVersion2: boolean): Written {
    const at = this.wire.position;
    try {
      return { kind: 'series', series: this.series(end, isVersion2) };
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      return { kind: 'reject', at, reason: error.message };
    }
  }

  private series(end: number, isVersion2: boolean): WrittenSeries {
    const { wire } = this;
    const start = wire.position;
    const labels = new LabelList();
    const samples: WrittenSample[] = [];
    const histograms: NativeHistogram[] = [];
    const exemplars: Exemplar[] = [];
    let about = { type: metricTypes[0]!, unit: '', help: '' };
    let start_ns = 0n;
    const [histogramField, exemplarField] = isVersion2 ? [3, 4] : [4, 3];
    while (wire.position < end) {
      const key = wire.key(end);
      const field = key >>> 3;
      if (field === 1) this.label(labels, key, end, isVersion2);
      else if (field === 6 && isVersion2) start_ns = timeOf(wire, end);
      else if ((key & 7) !== WIRE.bytes || field > 5) wire.skip(key, end);
      else {
        const stop = wire.lengthEnd(end);
        if (field === 2) pushKnown(samples, readSample(wire, stop));
        else if (field === histogramField) pushKnown(histograms, readNativeHistogram(wire, stop));
        else if (field === exemplarField) exemplars.push(this.exemplar(stop, isVersion2));
        else if (isVersion2) about = this.metadata(stop);
        wire.position = stop;
      }
    }
    const { name, rest } = labels.named(start);
    const begun = <T extends { readonly start_ns: bigint }>(one: T): T =>
      one.start_ns === 0n && start_ns !== 0n ? { ...one, start_ns } : one;
    return { name, labels: rest, ...about, samples: samples.map(begun), histograms: histograms.map(begun), exemplars };
  }

  /** A message `Label` in version 1; references to a name and a value, one after the other, in version 2. */
  private label(labels: LabelList, key: number, end: number, isVersion2: boolean): void {
    const { wire } = this;
    if (isVersion2) {
      repeated(wire, key, end, (stop) => labels.push(this.symbol(wire.varint32(stop)), wire.position));
      return;
    }
    const stop = wire.lengthEnd(end);
    let [name, value] = ['', ''];
    while (wire.position < stop) {
      const inner = wire.key(stop);
      if (inner === 0x0a) name = this.text(stop);
      else if (inner === 0x12) value = this.text(stop);
      else wire.skip(inner, stop);
    }
    labels.push(name, wire.position);
    labels.push(value, wire.position);
  }

  private exemplar(end: number, isVersion2: boolean): Exemplar {
    const { wire } = this;
    const labels = new LabelList();
    let [value, time_ns] = [0, 0n];
    while (wire.position < end) {
      const key = wire.key(end);
      if (key >>> 3 === 1) this.label(labels, key, end, isVersion2);
      else if (key === 0x11) value = wire.double(end);
      else if (key === 0x18) time_ns = timeOf(wire, end);
      else wire.skip(key, end);
    }
    return { value, time_ns, labels: labels.all(wire.position) };
  }

  private metadata(end: number): Pick<WrittenSeries, 'type' | 'unit' | 'help'> {
    const { wire } = this;
    let [type, unit, help] = [metricTypes[0]!, '', ''];
    while (wire.position < end) {
      const key = wire.key(end);
      if (key === 0x08) type = metricTypes[wire.varint32(end)] ?? type;
      else if (key === 0x18) help = this.symbol(wire.varint32(end));
      else if (key === 0x20) unit = this.symbol(wire.varint32(end));
      else wire.skip(key, end);
    }
    return { type, unit, help };
  }

  private symbol(index: number): string {
    const { symbols, ends, wire } = this;
    const found = symbols[index];
    if (found === undefined) throw new Malformed(wire.position, 'a reference to a symbol that the request lacks');
    if (typeof found === 'string') return found;
    const text = this.decoded(found, ends[index]!);
    symbols[index] = text;
    return text;
  }

  private text(end: number): string {
    const stop = this.wire.lengthEnd(end);
    const text = this.decoded(this.wire.position, stop);
    this.wire.position = stop;
    return text;
  }

  private decoded(start: number, end: number): string {
    if (end - start > LONGEST_NAMES) throw new Malformed(start, TOO_LONG);
    return this.decoder.decode(this.wire.bytes.subarray(start, end));
  }
}

const TOO_LONG = 'labels of more than 16 KiB';

function pushKnown<T>(list: T[], one: T | undefined): void {
  if (one !== undefined) list.push(one);
}

/** Names and values, alternating. */
class LabelList {
  private readonly texts: string[] = [];
  private characters = 0;

  push(text: string, at: number): void {
    // Each weighs one: empty ones are bounded, too.
    this.characters += text.length + 1;
    if (this.characters > LONGEST_NAMES) throw new Malformed(at, TOO_LONG);
    this.texts.push(text);
  }

  all(at: number): Map<string, string> {
    const { texts } = this;
    if (texts.length % 2 !== 0) throw new Malformed(at, 'a label without a value');
    const labels = new Map<string, string>();
    for (let i = 0; i < texts.length; i += 2) {
      const name = texts[i]!;
      if (name === '' || labels.has(name)) throw new Malformed(at, 'a label without a name, or one name twice');
      labels.set(name, texts[i + 1]!);
    }
    return labels;
  }

  named(at: number): { readonly name: string; readonly rest: ReadonlyMap<string, string> } {
    const rest = this.all(at);
    const name = rest.get('__name__') ?? '';
    if (name === '') throw new Malformed(at, 'a series without a name');
    rest.delete('__name__');
    return { name, rest };
  }
}
