import type { TextBuilder } from '../../../model/rows/batch-builder.ts';
import { type AttributeText, noticed } from '../otlp/attribute-text.ts';
import { appendAscii, appendBase64, appendByte } from '../otlp/json-text.ts';
import { utf8 } from '../otlp/utf8.ts';
import {
  ARRAY_VALUE,
  BOOL_VALUE,
  BYTES_VALUE,
  DOUBLE_VALUE,
  INT_VALUE,
  KEY,
  KVLIST_VALUE,
  STRING_VALUE,
  VALUE,
  VALUES,
} from './keys.ts';
import { type JsonLexer, literal } from './lexer.ts';
import { appendDoubleValue, appendInteger, readBoolean } from './numbers.ts';

/** The same bound as on the wire: equal content is kept or rejected alike. */
const MAX_DEPTH = 64;
const QUOTE = 0x22;
const CLOSE_BRACE = 0x7d;
const COMMON_KEY = literal('{"key":"');
const COMMON_STRING = literal(',"value":{"stringValue":"');
const COMMON_INTEGER = literal(',"value":{"intValue":');

/**
 * Renders an `AnyValue` object as JSON; an empty one is null. Plain strings, as in labels before 0.9, pass too, and so
 * do plain maps of values, which have no place in the protocol but occur.
 */
export function appendAnyValue(lexer: JsonLexer, text: TextBuilder, depth = 0): void {
  const first = lexer.peek();
  if (first === QUOTE) return lexer.appendString(text);
  if (depth > MAX_DEPTH) {
    lexer.note(`attribute value nested deeper than ${MAX_DEPTH}`);
    lexer.skipValue();
    return appendAscii(text, 'null');
  }
  const start = lexer.position;
  const mark = text.length;
  let known = false;
  let fields = 0;
  if (lexer.enterObject()) {
    for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) {
      fields++;
      known ||= key >= STRING_VALUE && key <= BYTES_VALUE;
      appendField(lexer, text, key, mark, depth);
    }
  }
  if (fields > 0 && !known) text.append(plainMap(utf8.decode(lexer.bytes.subarray(start, lexer.position))));
  else if (text.length === mark) appendAscii(text, 'null');
}

/** A map of values that was written without `kvlistValue` around it, as JSON; of unknown fields nothing is made. */
function plainMap(written: string): string {
  try {
    const entries = Object.entries(JSON.parse(written) as object).map(([name, value]) => [name, scalarIn(value)]);
    return entries.every(([, value]) => value !== undefined) ? JSON.stringify(Object.fromEntries(entries)) : 'null';
  } catch {
    return 'null';
  }
}

function scalarIn(value: unknown): unknown {
  const fields = Object.entries(value ?? {});
  const [[key, only] = ['', undefined]] = fields;
  return fields.length === 1 && /^(string|bool|int|double|bytes)_?Value$/i.test(key) ? only : undefined;
}

function appendField(lexer: JsonLexer, text: TextBuilder, key: number, mark: number, depth: number): void {
  if (key < STRING_VALUE || key > BYTES_VALUE || lexer.peek() === 0x6e) return lexer.skipValue();
  // The last field of a oneof counts.
  text.length = mark;
  switch (key) {
    case STRING_VALUE:
      if (lexer.peek() === QUOTE) lexer.appendString(text);
      else lexer.refuse('a string');
      return;
    case BOOL_VALUE:
      return appendAscii(text, readBoolean(lexer) ? 'true' : 'false');
    case INT_VALUE:
      return appendInteger(lexer, text);
    case DOUBLE_VALUE:
      return appendDoubleValue(lexer, text);
    case ARRAY_VALUE:
      return appendList(lexer, text, 0x5b, 0x5d, depth);
    case KVLIST_VALUE:
      return appendList(lexer, text, 0x7b, CLOSE_BRACE, depth);
    case BYTES_VALUE: {
      const bytes = Buffer.from(lexer.string(), 'base64');
      return appendBase64(text, bytes, 0, bytes.length);
    }
    default:
  }
}

/** `ArrayValue` or `KeyValueList`: an object with a list of `values`. */
function appendList(lexer: JsonLexer, text: TextBuilder, open: number, close: number, depth: number): void {
  if (!lexer.enterObject()) return;
  let separator = open;
  for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) {
    if (key !== VALUES) lexer.skipValue();
    else if (lexer.enterArray()) {
      for (let more = lexer.firstItem(); more; more = lexer.nextItem()) {
        appendByte(text, separator);
        separator = 0x2c;
        if (open === 0x5b) appendAnyValue(lexer, text, depth + 1);
        else appendPair(lexer, text, depth + 1);
      }
    }
  }
  if (separator === open) appendByte(text, open);
  appendByte(text, close);
}

/** Renders a `KeyValue` object as `"key":value`, whatever the order of its fields. */
function appendPair(lexer: JsonLexer, text: TextBuilder, depth: number, attributes?: AttributeText): void {
  let keyed = false;
  let valued = false;
  let waiting = -1;
  if (lexer.enterObject()) {
    for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) {
      if (key === KEY && !keyed) {
        keyed = true;
        appendKey(lexer, text, attributes);
      } else if (key === VALUE && keyed && !valued) {
        valued = true;
        appendByte(text, 0x3a);
        appendAnyValue(lexer, text, depth);
      } else {
        if (key === VALUE) waiting = lexer.position;
        lexer.skipValue();
      }
    }
  }
  if (!keyed) appendAscii(text, '""');
  if (valued) return;
  appendByte(text, 0x3a);
  if (waiting < 0) return appendAscii(text, 'null');
  const after = lexer.position;
  lexer.position = waiting;
  appendAnyValue(lexer, text, depth);
  lexer.position = after;
}

function appendKey(lexer: JsonLexer, text: TextBuilder, attributes: AttributeText | undefined): void {
  if (lexer.peek() !== QUOTE) {
    lexer.refuse('a string');
    return appendAscii(text, '""');
  }
  const mark = text.length;
  lexer.appendString(text);
  attributes?.notice(text.bytes, mark + 1, text.length - 1);
}

/** Adds a `KeyValue` object to attributes under construction. */
function addAttribute(lexer: JsonLexer, attributes: AttributeText): void {
  attributes.separate();
  const { text } = attributes;
  const start = lexer.position;
  const mark = text.length;
  if (lexer.match(COMMON_KEY)) {
    lexer.position--;
    lexer.appendString(text);
    const keyEnd = text.length;
    if (appendCommonValue(lexer, text)) {
      if (noticed[text.bytes[mark + 1]!] === 1) attributes.notice(text.bytes, mark + 1, keyEnd - 1);
      return;
    }
    text.length = mark;
    lexer.position = start;
  }
  appendPair(lexer, text, 0, attributes);
}

/** The rest of the attribute that nearly all are: one string or integer, no white space. False when it is not. */
function appendCommonValue(lexer: JsonLexer, text: TextBuilder): boolean {
  if (lexer.match(COMMON_STRING)) {
    lexer.position--;
    appendByte(text, 0x3a);
    lexer.appendString(text);
  } else if (lexer.match(COMMON_INTEGER)) {
    appendByte(text, 0x3a);
    appendInteger(lexer, text);
  } else return false;
  const { bytes, position } = lexer;
  if (position + 1 >= lexer.end || bytes[position] !== CLOSE_BRACE || bytes[position + 1] !== CLOSE_BRACE) return false;
  lexer.position += 2;
  return true;
}

/** Reads a list of `KeyValue` into attributes under construction. */
export function readAttributes(lexer: JsonLexer, attributes: AttributeText): void {
  if (!lexer.enterArray()) return;
  for (let more = lexer.firstItem(); more; more = lexer.nextItem()) addAttribute(lexer, attributes);
}

/** Appends a log body: a string as its plain text, anything else as JSON, an empty value as nothing. */
export function appendBody(lexer: JsonLexer, text: TextBuilder): void {
  if (lexer.peek() === QUOTE) return lexer.appendPlain(text);
  const start = lexer.position;
  const mark = text.length;
  if (!lexer.enterObject()) return;
  let key = lexer.firstKey();
  if (key === STRING_VALUE) {
    lexer.appendPlain(text);
    key = lexer.nextKey();
    if (key < 0) return;
  } else if (key < 0) return;
  text.length = mark;
  lexer.position = start;
  appendAnyValue(lexer, text);
}
