import type { TextBuilder } from '../../../model/rows/batch-builder.ts';
import { Malformed, type WireReader } from '../bytes/protobuf-wire.ts';
import { type AttributeText, noticed } from '../otlp/attribute-text.ts';
import {
  appendAscii,
  appendBase64,
  appendByte,
  appendDouble,
  appendInt64,
  appendJsonString,
  appendText,
  plain,
} from '../otlp/json-text.ts';

/** Deeper than any producer nests; keeps hostile input off the stack. */
export const MAX_DEPTH = 64;

/** Finds the one field of an `AnyValue` that counts: the last, as in every oneof. Answers its key, 0 for none. */
function selectValue(wire: WireReader, end: number): { readonly key: number; readonly at: number } | undefined {
  let lastField: { key: number; at: number } | undefined;
  while (wire.position < end) {
    const key = wire.key(end);
    if (key >> 3 <= 7) lastField = { key, at: wire.position };
    wire.skip(key, end);
  }
  return lastField;
}

/** Renders an `AnyValue` (OTLP common.proto) that ends at `end` as JSON; an empty one is null. */
export function appendAnyValue(wire: WireReader, text: TextBuilder, end: number, depth = 0): void {
  if (depth > MAX_DEPTH) throw new Malformed(wire.position, `attribute value nested deeper than ${MAX_DEPTH}`);
  if (wire.position === end) return appendAscii(text, 'null');
  const start = wire.position;
  const key = wire.key(end);
  if (!appendKnown(wire, text, key, end, depth)) {
    wire.position = start;
    const chosen = selectValue(wire, end);
    if (!chosen) return appendAscii(text, 'null');
    wire.position = chosen.at;
    const mark = text.length;
    if (!appendKnown(wire, text, chosen.key, end, depth, true)) {
      text.length = mark;
      appendAscii(text, 'null');
    }
    wire.position = end;
  }
}

/** False if the field is not in AnyValue, or if another field follows it and `only` does not allow that. */
function appendKnown(
  wire: WireReader,
  text: TextBuilder,
  key: number,
  end: number,
  depth: number,
  only = false,
): boolean {
  const mark = text.length;
  switch (key) {
    case 0x0a: {
      const stop = wire.lengthEnd(end);
      appendJsonString(text, wire.bytes, wire.position, stop);
      wire.position = stop;
      break;
    }
    case 0x10:
      wire.varint(end);
      appendAscii(text, (wire.low | wire.high) === 0 ? 'false' : 'true');
      break;
    case 0x18:
      wire.varint(end);
      appendInt64(text, wire.low, wire.high);
      break;
    case 0x21:
      appendDouble(text, wire.double(end));
      break;
    case 0x2a:
      appendArray(wire, text, wire.lengthEnd(end), depth);
      break;
    case 0x32:
      appendKeyValueList(wire, text, wire.lengthEnd(end), depth);
      break;
    case 0x3a: {
      const stop = wire.lengthEnd(end);
      appendBase64(text, wire.bytes, wire.position, stop);
      wire.position = stop;
      break;
    }
    default:
      return false;
  }
  if (wire.position === end || only) return true;
  text.length = mark;
  return false;
}

function appendArray(wire: WireReader, text: TextBuilder, end: number, depth: number): void {
  let separator = 0x5b;
  while (wire.position < end) {
    const key = wire.key(end);
    if (key !== 0x0a) {
      wire.skip(key, end);
      continue;
    }
    appendByte(text, separator);
    separator = 0x2c;
    appendAnyValue(wire, text, wire.lengthEnd(end), depth + 1);
  }
  if (separator === 0x5b) appendByte(text, separator);
  appendByte(text, 0x5d);
}

function appendKeyValueList(wire: WireReader, text: TextBuilder, end: number, depth: number): void {
  let separator = 0x7b;
  while (wire.position < end) {
    const key = wire.key(end);
    if (key !== 0x0a) {
      wire.skip(key, end);
      continue;
    }
    appendByte(text, separator);
    separator = 0x2c;
    appendPair(wire, text, wire.lengthEnd(end), depth + 1);
  }
  if (separator === 0x7b) appendByte(text, separator);
  appendByte(text, 0x7d);
}

/** Renders a `KeyValue` as `"key":value`, whatever the order of its fields; answers where the key's bytes lie. */
function appendPair(wire: WireReader, text: TextBuilder, end: number, depth: number): void {
  if (appendCommonPair(wire, text, end, depth)) return;
  let keyStart = 0;
  let keyEnd = 0;
  let valueStart = 0;
  let valueEnd = -1;
  while (wire.position < end) {
    const key = wire.key(end);
    if (key === 0x0a || key === 0x12) {
      const stop = wire.lengthEnd(end);
      if (key === 0x0a) [keyStart, keyEnd] = [wire.position, stop];
      else [valueStart, valueEnd] = [wire.position, stop];
      wire.position = stop;
    } else wire.skip(key, end);
  }
  appendJsonString(text, wire.bytes, keyStart, keyEnd);
  appendByte(text, 0x3a);
  if (valueEnd < 0) appendAscii(text, 'null');
  else {
    wire.position = valueStart;
    appendAnyValue(wire, text, valueEnd, depth);
  }
  wire.position = end;
}

/** The order every encoder writes, key then value: read in one go. Leaves everything as it was when it differs. */
function appendCommonPair(wire: WireReader, text: TextBuilder, end: number, depth: number): boolean {
  const { bytes } = wire;
  const start = wire.position;
  if (bytes[start] !== 0x0a) return false;
  wire.position++;
  const keyEnd = wire.lengthEnd(end);
  const keyStart = wire.position;
  if (keyEnd < end && bytes[keyEnd] === 0x12) {
    wire.position = keyEnd + 1;
    const valueEnd = wire.lengthEnd(end);
    if (valueEnd === end) {
      appendJsonString(text, bytes, keyStart, keyEnd);
      appendByte(text, 0x3a);
      appendAnyValue(wire, text, valueEnd, depth);
      return true;
    }
  }
  wire.position = start;
  return false;
}

/** Adds a `KeyValue` that ends at `end` to attributes under construction. */
export function addAttribute(wire: WireReader, attributes: AttributeText, end: number): void {
  if (addCommon(wire, attributes, end)) return;
  attributes.separate();
  const { text } = attributes;
  const mark = text.length;
  appendPair(wire, text, end, 0);
  const keyEnd = text.bytes.indexOf(0x22, mark + 1);
  attributes.notice(text.bytes, mark + 1, keyEnd);
}

/**
 * The attribute that nearly all are, in one pass: key before value, both shorter than 128 bytes, characters that
 * JSON writes as they are. Anything else leaves everything as it was and answers false.
 */
function addCommon(wire: WireReader, attributes: AttributeText, end: number): boolean {
  const { bytes, position } = wire;
  if (end - position < 4 || bytes[position] !== 0x0a) return false;
  const keyEnd = position + 2 + bytes[position + 1]!;
  if (keyEnd + 2 > end || bytes[keyEnd] !== 0x12 || keyEnd + 2 + bytes[keyEnd + 1]! !== end) return false;
  const { text } = attributes;
  const target = text.reserve(end - position + 8);
  let to = text.length;
  target[to++] = to - 1 === attributes.mark ? 0x7b : 0x2c;
  target[to++] = 0x22;
  for (let at = position + 2; at < keyEnd; at++) {
    const byte = bytes[at]!;
    if (plain[byte] === 0) return false;
    target[to++] = byte;
  }
  target[to++] = 0x22;
  target[to++] = 0x3a;
  const value = keyEnd + 2;
  if (end - value >= 2 && bytes[value] === 0x0a && value + 2 + bytes[value + 1]! === end) {
    target[to++] = 0x22;
    for (let at = value + 2; at < end; at++) {
      const byte = bytes[at]!;
      if (plain[byte] === 0) return false;
      target[to++] = byte;
    }
    target[to++] = 0x22;
    text.length = to;
    wire.position = end;
  } else {
    text.length = to;
    wire.position = value;
    appendAnyValue(wire, text, end);
  }
  if (noticed[bytes[position + 2]!] === 1) attributes.notice(bytes, position + 2, keyEnd);
  return true;
}

/** Renders a log body: a string as its plain text, anything else as JSON, an empty value as nothing. */
export function appendBody(wire: WireReader, text: TextBuilder, end: number): void {
  const start = wire.position;
  if (start === end) return;
  if (wire.key(end) === 0x0a) {
    const stop = wire.lengthEnd(end);
    if (stop === end) {
      appendText(text, wire.bytes, wire.position, stop);
      wire.position = end;
      return;
    }
  }
  wire.position = start;
  appendAnyValue(wire, text, end);
}

/** The bits of a zigzag varint (sint32). */
export const zigzag = (low: number): number => (low >>> 1) ^ -(low & 1);
