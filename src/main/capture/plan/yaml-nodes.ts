import {
  EVENT_ALIAS,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  getScalarValue,
  parseEvents,
} from 'js-yaml';

/** A value with its place in the text: `[start, end)`. */
export type YamlNode = YamlLeaf | YamlMap | YamlList;

interface Place {
  /** Behind the colon or dash that the value follows. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
  /** It has an anchor or a tag. */
  readonly marked: boolean;
}
export interface YamlLeaf extends Place {
  readonly kind: 'leaf';
}
export interface YamlMap extends Place {
  readonly kind: 'map';
  readonly flow: boolean;
  readonly entries: readonly YamlEntry[];
}
export interface YamlList extends Place {
  readonly kind: 'list';
  readonly flow: boolean;
  readonly entries: readonly YamlEntry[];
}
/** A pair of a map, or an item of a list. */
export interface YamlEntry {
  /** '' in lists. */
  readonly key: string;
  /** Of the key, of the dash, or in flow lists of the item. */
  readonly at: number;
  readonly value: YamlNode;
}

type YamlEvent = ReturnType<typeof parseEvents>[number];
type OfType<T> = Extract<YamlEvent, { readonly type: T }>;
type CollectionEvent = OfType<typeof EVENT_MAPPING> | OfType<typeof EVENT_SEQUENCE>;

/** `CollectionStyle` and `ScalarStyle` of the parser. */
const FLOW = 2;
const SINGLE_QUOTED = 2;
const DOUBLE_QUOTED = 3;
const LITERAL = 4;

/** The first document of a text as nodes. Throws where the text is no YAML or a place is unclear. */
export function yamlNodes(text: string): YamlNode {
  return new NodeReader(text).read();
}

/** The parser reports where values begin, but neither dashes, colons nor the ends of collections: these are searched. */
class NodeReader {
  private readonly text: string;
  private readonly events: readonly YamlEvent[];
  // The first event is the document itself.
  private at = 1;

  constructor(text: string) {
    this.text = text;
    this.events = parseEvents(text, {});
  }

  read(): YamlNode {
    return this.node(0);
  }

  private node(from: number): YamlNode {
    const event = this.events[this.at++];
    switch (event?.type) {
      case EVENT_SCALAR:
        return this.scalar(event, from);
      case EVENT_ALIAS:
        return { kind: 'leaf', from, start: event.anchorStart - 1, end: event.anchorEnd, marked: false };
      case EVENT_MAPPING:
      case EVENT_SEQUENCE:
        return this.collection(event, from);
      default:
        throw new Error('no value');
    }
  }

  private scalar(event: OfType<typeof EVENT_SCALAR>, from: number): YamlLeaf {
    const marks = [event.anchorStart - 1, event.tagStart].filter((start) => start >= 0);
    const content = this.contentOf(event, Math.max(from, event.anchorEnd, event.tagEnd));
    const start = Math.min(content.start, ...marks);
    return { kind: 'leaf', from, start, end: content.end, marked: marks.length > 0 };
  }

  private contentOf({ style, valueEnd, valueStart }: OfType<typeof EVENT_SCALAR>, from: number) {
    if (valueStart < 0) return { start: from, end: from };
    if (style === SINGLE_QUOTED || style === DOUBLE_QUOTED) return { start: valueStart - 1, end: valueEnd + 1 };
    if (style < LITERAL) return { start: valueStart, end: valueEnd };
    // A block begins at its `|`, before the lines of its value, and the blank lines behind it are not a part of it.
    const start = this.skip(from);
    return { start, end: start + this.text.slice(start, valueEnd).trimEnd().length };
  }

  private collection(event: CollectionEvent, from: number): YamlMap | YamlList {
    const isMap = event.type === EVENT_MAPPING;
    const flow = event.style === FLOW;
    const entries: YamlEntry[] = [];
    let end = flow ? event.start + 1 : event.start;
    while (this.events[this.at]?.type !== EVENT_POP) {
      const entry = isMap ? this.pair(end) : this.item(end, flow);
      entries.push(entry);
      end = entry.value.end;
    }
    this.at++;
    const place = {
      from,
      start: event.start,
      end: flow ? this.skip(end) + 1 : end,
      marked: event.anchorStart >= 0 || event.tagStart >= 0,
    };
    return { kind: isMap ? 'map' : 'list', ...place, flow, entries };
  }

  private pair(from: number): YamlEntry {
    const event = this.events[this.at];
    const key = this.node(from);
    const colon = this.skip(key.end);
    if (event?.type !== EVENT_SCALAR || this.text[colon] !== ':') throw new Error('no simple key');
    return { key: getScalarValue(this.text, event), at: key.start, value: this.node(colon + 1) };
  }

  private item(from: number, flow: boolean): YamlEntry {
    const at = this.skip(from);
    if (!flow && this.text[at] !== '-') throw new Error('no dash');
    return { key: '', at, value: this.node(flow ? at : at + 1) };
  }

  /** Over white space, comments and commas. */
  private skip(from: number): number {
    const blank = /(?:[\s,]|#[^\n]*)*/y;
    blank.lastIndex = from;
    return from + (blank.exec(this.text)?.[0].length ?? 0);
  }
}
