import { isUtf8 } from 'node:buffer';
import { innerPrefix, isLookedInto } from '../../log-record/fields.ts';
import { utf8 } from '../../otlp/utf8.ts';
import { JsonBytes, special } from './json-bytes.ts';
import { KIND } from './kind.ts';
import {
  ARRAY,
  ENTERED,
  OBJECT,
  PLAIN,
  planOf,
  type ShapeEdge,
  ShapeNode,
  type ShapePlan,
  type ValueClass,
} from './shape.ts';

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET] = [0x7b, 0x7d, 0x5b];
const [LINE_FEED, RETURN, MINUS, ZERO] = [0x0a, 0x0d, 0x2d, 0x30];
/** Bounds of the tree of shapes: files whose members have ever new names are read by the general reader. */
const [MOST_NODES, MOST_EDGES, LONGEST_KEY, MOST_SLOTS] = [4096, 64, 200, 128];
/**
 * Finds the values of a JSON line without making an object of it: the members of the lines before foretell its own. The line is sound JSON
 * then, but for odd numbers, escapes and nested values: these are checked when they are read.
 */
export class LineScan extends JsonBytes {
  /** By slot, in the order of the line: where the value is (of strings: between the quotes), and its {@link KIND}. */
  readonly starts: Uint32Array = new Uint32Array(MOST_SLOTS);
  readonly ends: Uint32Array = new Uint32Array(MOST_SLOTS);
  readonly kinds: Uint8Array = new Uint8Array(MOST_SLOTS);
  /** Behind the last line that was scanned, its line end included. */
  next = 0;
  private readonly root = new ShapeNode(undefined, { key: '', value: -1, prefix: '', depth: 0 });
  private nodes = 1;

  /** Scans the line that begins at `from`. null: it ends behind `end`, is broken, or of a shape for the general reader. */
  scan(bytes: Uint8Array, from: number, end: number): ShapePlan | null {
    if (this.bytes !== bytes) {
      this.bytes = bytes;
      this.words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    this.end = end;
    this.at = from + 1;
    this.hasHigh = false;
    const last = this.members();
    if (!last) return null;
    let { at } = this;
    if (bytes[at] === RETURN) at++;
    if (at < end && bytes[at] !== LINE_FEED) return null;
    this.next = Math.min(at + 1, end);
    if (last.plan === undefined) last.plan = planOf(last);
    if (last.plan && this.hasHigh && !isUtf8(bytes.subarray(from, at))) return null;
    return last.plan;
  }

  /** The node behind all members of the object that begins before `at`. */
  private members(): ShapeNode | undefined {
    let node: ShapeNode | undefined = this.root;
    let depth = 0;
    let isFirst = true;
    for (;;) {
      let byte = this.blank();
      if (byte === CLOSE_BRACE) {
        this.at++;
        if (depth === 0) return node;
        node = this.exitOf(node);
        depth--;
        isFirst = false;
        if (!node) return undefined;
        continue;
      }
      if (!isFirst) {
        if (byte !== COMMA) return undefined;
        this.at++;
        byte = this.blank();
      }
      if (byte !== QUOTE) return undefined;
      const edge: ShapeEdge | undefined = this.edgeOf(node);
      if (!edge || this.blank() !== COLON) return undefined;
      this.at++;
      const first = this.blank();
      isFirst = first === OPEN_BRACE && this.isEntered(node, edge);
      if (isFirst) {
        node = this.nodeOf(node, edge, ENTERED);
        this.at++;
        depth++;
      } else {
        const slot: number = node.slots;
        const value = slot < MOST_SLOTS ? this.value(first, slot) : -1;
        if (value < 0) return undefined;
        node = this.nodeOf(node, edge, value as ValueClass);
      }
      if (!node) return undefined;
    }
  }

  /** The edge of the key that begins with the quote here; behind it afterwards. */
  private edgeOf({ edges }: ShapeNode): ShapeEdge | undefined {
    const from = this.at + 1;
    const room = this.end - from;
    for (let i = 0; i < edges.length; i++) {
      const edge = edges[i]!;
      const { length } = edge.bytes;
      if (length > room || !this.isKey(edge, from)) continue;
      this.at = from + length;
      return edge;
    }
    return this.newEdge(edges, from);
  }

  /** Whether the bytes from here on are those of a key: four at a time, the last four once more where they do not fill a word. */
  private isKey({ bytes: key, keyWords }: ShapeEdge, from: number): boolean {
    const { bytes, words } = this;
    const last = key.length - 4;
    if (last < 0) {
      for (let k = 0; k < key.length; k++) if (bytes[from + k] !== key[k]) return false;
      return true;
    }
    for (let k = 0; k < last; k += 4) if (words.getInt32(from + k) !== keyWords.getInt32(k)) return false;
    return words.getInt32(from + last) === keyWords.getInt32(last);
  }

  private newEdge(edges: ShapeEdge[], from: number): ShapeEdge | undefined {
    const { bytes } = this;
    const most = Math.min(this.end, from + LONGEST_KEY);
    let to = from;
    while (to < most && special[bytes[to]!] === 0) to++;
    if (to >= most || bytes[to] !== QUOTE || edges.length >= MOST_EDGES || this.nodes >= MOST_NODES) return undefined;
    this.nodes++;
    // A copy in any case: `slice` of a Buffer is none.
    const copy = new Uint8Array(bytes.subarray(from, to + 1));
    const keyWords = new DataView(copy.buffer);
    const edge = { key: utf8.decode(bytes.subarray(from, to)), bytes: copy, keyWords, next: [] };
    edges.push(edge);
    this.at = to + 1;
    return edge;
  }

  private nodeOf(node: ShapeNode, edge: ShapeEdge, value: ValueClass): ShapeNode | undefined {
    const known = edge.next[value];
    if (known || this.nodes >= MOST_NODES) return known;
    const name = nameOf(node, edge);
    const made = new ShapeNode(node, {
      key: edge.key,
      value,
      prefix: value === ENTERED ? innerPrefix(name) : node.prefix,
      depth: node.depth + (value === ENTERED ? 1 : 0),
    });
    this.nodes++;
    edge.next[value] = made;
    return made;
  }

  private isEntered(node: ShapeNode, edge: ShapeEdge): boolean {
    return edge.next[ENTERED] !== undefined || isLookedInto(nameOf(node, edge), node.prefix, node.depth);
  }

  private exitOf(node: ShapeNode): ShapeNode | undefined {
    if (node.exit || this.nodes >= MOST_NODES) return node.exit;
    // The object around is that of the node before the object was entered.
    let open = 1;
    let inner: ShapeNode = node;
    while (open > 0) {
      if (inner.value === -1) open++;
      else if (inner.value === ENTERED) open--;
      inner = inner.before!;
    }
    this.nodes++;
    node.exit = new ShapeNode(node, { key: '', value: -1, prefix: inner.prefix, depth: inner.depth });
    return node.exit;
  }

  /** Notes the value that begins here, and steps over it; its class, or -1 where it is broken. */
  private value(first: number, slot: number): number {
    if (first === QUOTE) {
      const start = this.at + 1;
      if (!this.passString()) return -1;
      this.note(slot, start, this.at - 1);
      return PLAIN;
    }
    const start = this.at;
    let value: number = PLAIN;
    if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      if (this.passCompact()) this.kind = KIND.compact;
      else {
        this.at = start;
        if (!this.passNested()) return -1;
        this.kind = KIND.nested;
      }
      value = first === OPEN_BRACE ? OBJECT : ARRAY;
    } else if (first === MINUS || (first >= ZERO && first <= 0x39)) this.passNumber();
    else value = this.passWord();
    this.note(slot, start, this.at);
    return value;
  }

  private note(slot: number, start: number, end: number): void {
    this.starts[slot] = start;
    this.ends[slot] = end;
    this.kinds[slot] = this.kind;
  }
}

const nameOf = ({ prefix }: ShapeNode, { key }: ShapeEdge): string => (prefix === '' ? key : `${prefix}.${key}`);
