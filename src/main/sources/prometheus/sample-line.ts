import { NUMBER, parseValue } from '../series-meaning/parse-value.ts';

/** Differences between the dialects of the text format. */
export interface Dialect {
  /** OpenMetrics: timestamps are seconds, exemplars may follow. */
  readonly openMetrics: boolean;
}

/** One sample as its line states it. */
export interface SampleLine {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
  /** As written; '' when there is none. */
  readonly time: string;
  readonly exemplar:
    | { readonly labels: ReadonlyMap<string, string>; readonly value: number; readonly time: string }
    | undefined;
  /** Text up to the value: equal text means equal series. */
  readonly key: string;
}

/** Reason why a line is not valid. */
export class LineError extends Error {}

const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const LABEL_NAME = /[a-zA-Z_][a-zA-Z0-9_]*/y;
const escapes: Readonly<Record<string, string>> = { '\\': '\\', '"': '"', n: '\n' };

/**
 * `name{label="value",…} value [time]`, or with the name quoted among the labels.
 * @throws LineError
 */
export function parseSampleLine(text: string, dialect: Dialect): SampleLine {
  return new LineParser(text).sample(dialect);
}

class LineParser {
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  sample({ openMetrics }: Dialect): SampleLine {
    this.blanks();
    let name = this.match(NAME);
    this.blanks();
    let labels = new Map<string, string>();
    if (this.text[this.at] === '{') {
      const inside = this.labels();
      if (inside.name !== '' && name !== '') throw new LineError('two metric names');
      name ||= inside.name;
      labels = inside.labels;
      this.blanks();
    } else if (name !== '' && !/[ \t]/.test(this.text[this.at - 1] ?? '')) throw new LineError('malformed metric name');
    if (name === '') throw new LineError('no metric name');
    const key = this.text.slice(0, this.at).trim();
    const value = this.number('value');
    this.blanks();
    const time = this.time(openMetrics);
    const exemplar = openMetrics ? this.exemplar() : undefined;
    this.blanks();
    if (this.at < this.text.length) throw new LineError('text after the end of the sample');
    return { name, labels, value, time, exemplar, key };
  }

  private labels(): { name: string; labels: Map<string, string> } {
    const labels = new Map<string, string>();
    let name = '';
    this.at++;
    for (;;) {
      this.blanks();
      if (this.text[this.at] === '}') break;
      const quoted = this.text[this.at] === '"';
      const label = quoted ? this.quoted() : this.match(LABEL_NAME);
      if (label === '' && !quoted) throw new LineError('malformed label name');
      this.blanks();
      if (this.text[this.at] !== '=') {
        if (!quoted || name !== '') throw new LineError('a label has no value');
        name = label;
      } else {
        this.at++;
        this.blanks();
        if (label === '__name__') throw new LineError('the label __name__ is reserved');
        if (labels.has(label)) throw new LineError(`the label ${label} is given twice`);
        labels.set(label, this.quoted());
      }
      this.blanks();
      if (this.text[this.at] === ',') this.at++;
      else if (this.text[this.at] !== '}') throw new LineError('a comma or } was expected after a label');
    }
    this.at++;
    return { name, labels };
  }

  private quoted(): string {
    if (this.text[this.at] !== '"') throw new LineError('a label value has no quotes');
    let value = '';
    let from = ++this.at;
    for (; this.text[this.at] !== '"'; this.at++) {
      if (this.at >= this.text.length) throw new LineError('a label value has no end');
      if (this.text[this.at] !== '\\') continue;
      const escaped = escapes[this.text[this.at + 1] ?? ''];
      if (escaped === undefined) throw new LineError('a label value has an unknown escape');
      value += this.text.slice(from, this.at) + escaped;
      from = ++this.at + 1;
    }
    value += this.text.slice(from, this.at++);
    return value;
  }

  private number(what: string): number {
    const value = parseValue(this.word());
    if (value === undefined) throw new LineError(`malformed ${what}`);
    return value;
  }

  private time(openMetrics: boolean): string {
    if (this.at >= this.text.length || this.text[this.at] === '#') return '';
    const time = this.word();
    const whole = /^[+-]?\d{1,19}$/.test(time);
    if (!whole && !(openMetrics && NUMBER.test(time))) throw new LineError('malformed timestamp');
    this.blanks();
    return time.replace(/^\+/, '');
  }

  private exemplar(): SampleLine['exemplar'] {
    if (this.text[this.at] !== '#') return undefined;
    this.at++;
    this.blanks();
    if (this.text[this.at] !== '{') throw new LineError('malformed exemplar');
    const { labels } = this.labels();
    this.blanks();
    const value = this.number('exemplar');
    this.blanks();
    return { labels, value, time: this.time(true) };
  }

  private word(): string {
    const from = this.at;
    while (this.at < this.text.length && !/[ \t]/.test(this.text[this.at]!)) this.at++;
    return this.text.slice(from, this.at);
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private blanks(): void {
    while (this.text[this.at] === ' ' || this.text[this.at] === '\t') this.at++;
  }
}
