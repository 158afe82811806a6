import { writeDouble } from './host';
import { goTo, isBad, noteBad, peek, position, restart } from './reading';
import {
  addDropped,
  beginEvent,
  beginPair,
  beginRow,
  END,
  endEvent,
  endPair,
  endRow,
  messageEnd,
  PARENT_ID,
  rows,
  SPAN_ID,
  START,
  setEventName,
  setEventTime,
  setFlags,
  setKind,
  setMessageEnd,
  setName,
  setStatus,
  setWide,
  TRACE_HIGH,
  TRACE_LOW,
} from './rows';
import { copyRange, writeInteger } from './text';

/** Field keys of `Span`, `Event`, `Status`, `KeyValue` and `AnyValue` (OTLP trace.proto and common.proto): `field << 3 | wire type`. */
const SPAN: u32 = 0x12;
const SPAN_TRACE_ID: u32 = 0x0a;
const SPAN_SPAN_ID: u32 = 0x12;
const SPAN_TRACE_STATE: u32 = 0x1a;
const SPAN_PARENT_ID: u32 = 0x22;
const SPAN_NAME: u32 = 0x2a;
const SPAN_KIND: u32 = 0x30;
const SPAN_START: u32 = 0x39;
const SPAN_END: u32 = 0x41;
const SPAN_ATTRIBUTE: u32 = 0x4a;
const SPAN_DROPPED_ATTRIBUTES: u32 = 0x50;
const SPAN_EVENT: u32 = 0x5a;
const SPAN_DROPPED_EVENTS: u32 = 0x60;
const SPAN_DROPPED_LINKS: u32 = 0x70;
const SPAN_STATUS: u32 = 0x7a;
/** The first of two bytes; the other one is 1. */
const SPAN_FLAGS: u32 = 0x85;
const STATUS_MESSAGE: u32 = 0x12;
const STATUS_CODE: u32 = 0x18;
const EVENT_TIME: u32 = 0x09;
const EVENT_NAME: u32 = 0x12;
const EVENT_ATTRIBUTE: u32 = 0x1a;
const PAIR_KEY: u32 = 0x0a;
const PAIR_VALUE: u32 = 0x12;
const VALUE_STRING: u32 = 0x0a;
const VALUE_BOOLEAN: u32 = 0x10;
const VALUE_INTEGER: u32 = 0x18;
const VALUE_DOUBLE: u32 = 0x21;

/** `true`, `fals`, `null` */
const TRUE: u32 = 0x65757274;
const FALS: u32 = 0x736c6166;
const NULL: u32 = 0x6c6c756e;

function varint(): u64 {
  let at = position();
  let value: u64 = 0;
  for (let shift: u64 = 0; shift < 64; shift += 7) {
    const byte = <u64>load<u8>(at);
    at++;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      goTo(at);
      return value;
    }
  }
  noteBad();
  return 0;
}

/** A length; answers where that many bytes end, which is checked to be no further than `end`, else 0. */
function lengthEnd(end: usize): usize {
  const length = varint();
  return length <= <u64>end && position() + <usize>length <= end ? position() + <usize>length : 0;
}

function wide(column: u32, value: u64, size: usize): bool {
  setWide(column, value);
  goTo(position() + size);
  return true;
}

/** An id of eight bytes, the first one the most significant; of none it is 0. */
function spanId(column: u32): bool {
  const at = position();
  const length = peek();
  if (length === 0) return wide(column, 0, 1);
  return length === 8 && wide(column, bswap<u64>(load<u64>(at, 1)), 9);
}

function traceId(): bool {
  const at = position();
  const length = peek();
  if (length !== 16) return false;
  setWide(TRACE_HIGH, bswap<u64>(load<u64>(at, 1)));
  return wide(TRACE_LOW, bswap<u64>(load<u64>(at, 9)), 17);
}

/** The value of an attribute, written as JSON at `to`; answers where it ends there, or 0. */
function value(end: usize, to: usize): usize {
  const at = position();
  if (at === end) {
    store<u32>(to, NULL);
    return to + 4;
  }
  const key = peek();
  goTo(at + 1);
  if (key === VALUE_STRING) {
    if (lengthEnd(end) !== end) return 0;
    store<u8>(to, 0x22);
    const stop = copyRange(position(), end, to + 1, true);
    if (stop === 0) return 0;
    store<u8>(stop, 0x22);
    goTo(end);
    return stop + 1;
  }
  if (key === VALUE_INTEGER) return writeInteger(varint(), to);
  if (key === VALUE_BOOLEAN) {
    const truth = varint() !== 0;
    store<u32>(to, truth ? TRUE : FALS);
    store<u8>(to, 0x65, 4);
    return truth ? to + 4 : to + 5;
  }
  if (key !== VALUE_DOUBLE) return 0;
  goTo(at + 9);
  return writeDouble(load<f64>(at, 1), to);
}

function attribute(end: usize): bool {
  let to = beginPair();
  if (peek() !== PAIR_KEY) return false;
  goTo(position() + 1);
  const keyEnd = lengthEnd(end);
  if (keyEnd === 0) return false;
  store<u8>(to, 0x22);
  to = copyRange(position(), keyEnd, to + 1, true);
  if (to === 0 || <u32>load<u8>(keyEnd) !== PAIR_VALUE) return false;
  goTo(keyEnd + 1);
  if (lengthEnd(end) !== end) return false;
  // `":`
  store<u16>(to, 0x3a22);
  to = value(end, to + 2);
  endPair(to);
  return to !== 0 && position() === end;
}

function status(end: usize): bool {
  while (position() < end) {
    const key = peek();
    goTo(position() + 1);
    if (key === STATUS_CODE) {
      const code = varint();
      if (code > 2) return false;
      setStatus(<u32>code);
    } else if (key === STATUS_MESSAGE) {
      const stop = lengthEnd(end);
      const to: usize = stop === 0 ? 0 : copyRange(position(), stop, messageEnd(), false);
      if (to === 0) return false;
      setMessageEnd(to);
      goTo(stop);
    } else return false;
  }
  return position() === end;
}

function event(end: usize): bool {
  if (!beginEvent()) return false;
  while (position() < end) {
    const key = peek();
    goTo(position() + 1);
    if (key === EVENT_TIME) {
      setEventTime(load<u64>(position()));
      goTo(position() + 8);
      continue;
    }
    if (key !== EVENT_NAME && key !== EVENT_ATTRIBUTE) return false;
    const stop = lengthEnd(end);
    if (stop === 0) return false;
    if (key === EVENT_ATTRIBUTE) {
      if (!attribute(stop)) return false;
    } else {
      setEventName(position(), stop);
      goTo(stop);
    }
  }
  endEvent();
  return position() === end;
}

function nested(key: u32, end: usize): bool {
  const stop = lengthEnd(end);
  if (stop === 0) return false;
  if (key === SPAN_ATTRIBUTE) return attribute(stop);
  if (key === SPAN_STATUS) return status(stop);
  if (key === SPAN_EVENT) return event(stop);
  setName(position(), stop);
  goTo(stop);
  return true;
}

function kind(): bool {
  const code = varint();
  setKind(<u32>code);
  return code <= 5;
}

function flags(): bool {
  if (peek() !== 1) return false;
  setFlags(load<u32>(position(), 1));
  goTo(position() + 5);
  return true;
}

function field(key: u32, end: usize): bool {
  switch (key) {
    case SPAN_ATTRIBUTE:
    case SPAN_STATUS:
    case SPAN_NAME:
    case SPAN_EVENT:
      return nested(key, end);
    case SPAN_TRACE_ID:
      return traceId();
    case SPAN_SPAN_ID:
      return spanId(SPAN_ID);
    case SPAN_PARENT_ID:
      return spanId(PARENT_ID);
    case SPAN_KIND:
      return kind();
    case SPAN_START:
      return wide(START, load<u64>(position()), 8);
    case SPAN_END:
      return wide(END, load<u64>(position()), 8);
    case SPAN_FLAGS:
      return flags();
    case SPAN_DROPPED_ATTRIBUTES:
    case SPAN_DROPPED_EVENTS:
    case SPAN_DROPPED_LINKS:
      return addDropped(varint());
    case SPAN_TRACE_STATE:
      goTo(position() + 1);
      return <u32>load<u8>(position() - 1) === 0;
    default:
      return false;
  }
}

function span(end: usize): bool {
  restart();
  while (position() < end) {
    const key = peek();
    goTo(position() + 1);
    if (!field(key, end)) return false;
  }
  return position() === end && !isBad() && endRow();
}

/** Reads spans from `from` on, as {@link jsonSpans} does: fields of a `ScopeSpans`, the first one of which is a span. */
export function protobufSpans(from: usize, end: usize, most: u32, stop: usize): usize {
  goTo(from);
  let accepted = from;
  while (rows() < most && accepted < stop && accepted < end && peek() === SPAN) {
    goTo(accepted + 1);
    const spanEnd = lengthEnd(end);
    if (spanEnd === 0) {
      goTo(end);
      break;
    }
    if (!beginRow(<u32>(spanEnd - accepted)) || !span(spanEnd)) break;
    accepted = spanEnd;
  }
  return accepted;
}
