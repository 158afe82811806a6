import {
  copyBoolean,
  copyDecimal,
  copyInteger,
  copyPlain,
  copyString,
  digit,
  emptyString,
  key,
  next,
  nothing,
  pass,
  passString,
  spanId,
  traceIdHigh,
  traceIdLow,
  unsigned,
} from './json-values';
import { goTo, isBad, position, restart } from './reading';
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

const OPEN_BRACKET: u32 = 0x5b;
const CLOSE_BRACKET: u32 = 0x5d;
const OPEN_BRACE: u32 = 0x7b;
const CLOSE_BRACE: u32 = 0x7d;
const COMMA: u32 = 0x2c;

// The numbers under which the other side makes the keys known.
const KEY_TRACE_ID = 1;
const KEY_SPAN_ID = 2;
const KEY_PARENT_ID = 3;
const KEY_START = 4;
const KEY_END = 5;
const KEY_ATTRIBUTES = 6;
const KEY_NAME = 7;
const KEY_KIND = 8;
const KEY_FLAGS = 9;
const KEY_DROPPED_ATTRIBUTES = 10;
const KEY_DROPPED_EVENTS = 11;
const KEY_DROPPED_LINKS = 12;
const KEY_TRACE_STATE = 13;
const KEY_STATUS = 14;
const KEY_EVENTS = 15;
const KEY_LINKS = 16;
const KEY_CODE = 17;
const KEY_MESSAGE = 18;
const KEY_KEY = 19;
const KEY_VALUE = 20;
const KEY_STRING: u32 = 21;
const KEY_INTEGER: u32 = 22;
const KEY_BOOLEAN = 23;
const KEY_DOUBLE = 24;
const KEY_TIME = 25;

/** `{"key":`, `,"value"`, `:{`, `"stringV`, `gValue":`, `"intValu`, `e":` and `}}`, as they are without white space. */
const COMMON_KEY: u64 = 0x3a2279656b227b;
const COMMON_VALUE: u64 = 0x2265756c6176222c;
const COMMON_OPEN: u32 = 0x7b3a;
const COMMON_STRING: u64 = 0x56676e6972747322;
const COMMON_STRING_END: u64 = 0x3a2265756c615667;
const COMMON_INTEGER: u64 = 0x756c6156746e6922;
const COMMON_INTEGER_END: u32 = 0x3a2265;
const COMMON_CLOSE: u32 = 0x7d7d;

/** After a member of an object: whether another one follows; `bad` is for what is neither. */
function goesOn(close: u32): i32 {
  const byte = next();
  if (byte !== COMMA && byte !== close) return -1;
  goTo(position() + 1);
  return byte === COMMA ? 1 : 0;
}

function beginAttribute(): bool {
  const at = position();
  if ((load<u64>(at) & 0x00ffffffffffffff) !== COMMON_KEY) return pass(OPEN_BRACE) && key() === KEY_KEY;
  goTo(at + 7);
  return true;
}

/** Steps up to the value; answers its kind, 0 for none of ours. */
function beginValue(): u32 {
  const at = position();
  if (load<u64>(at) !== COMMON_VALUE || <u32>load<u16>(at, 8) !== COMMON_OPEN)
    return pass(COMMA) && key() === KEY_VALUE && pass(OPEN_BRACE) ? key() : 0;
  const word = load<u64>(at, 10);
  if (word === COMMON_STRING && load<u64>(at, 16) === COMMON_STRING_END) {
    goTo(at + 24);
    return KEY_STRING;
  }
  if (word === COMMON_INTEGER && (load<u32>(at, 18) & 0xffffff) === COMMON_INTEGER_END) {
    goTo(at + 21);
    return KEY_INTEGER;
  }
  goTo(at + 10);
  return key();
}

function endValue(): bool {
  const at = position();
  if (<u32>load<u16>(at) !== COMMON_CLOSE) return pass(CLOSE_BRACE) && pass(CLOSE_BRACE);
  goTo(at + 2);
  return true;
}

function attribute(): bool {
  let to = beginPair();
  if (!beginAttribute()) return false;
  next();
  to = copyString(to);
  if (to === 0) return false;
  store<u8>(to, 0x3a);
  to++;
  const kind = beginValue();
  next();
  if (kind === KEY_STRING) to = copyString(to);
  else if (kind === KEY_INTEGER) to = copyInteger(to);
  else if (kind === KEY_BOOLEAN) to = copyBoolean(to);
  else if (kind === KEY_DOUBLE) to = copyDecimal(to);
  else return false;
  if (to === 0) return false;
  endPair(to);
  return endValue();
}

function attributes(): bool {
  if (!pass(OPEN_BRACKET)) return false;
  if (pass(CLOSE_BRACKET)) return true;
  while (true) {
    next();
    if (!attribute()) return false;
    const more = goesOn(CLOSE_BRACKET);
    if (more <= 0) return more === 0;
  }
}

function status(): bool {
  if (!pass(OPEN_BRACE)) return false;
  if (pass(CLOSE_BRACE)) return true;
  let seen: u32 = 0;
  while (true) {
    const id = key();
    if ((seen & (1 << id)) !== 0) return false;
    seen |= 1 << id;
    if (id === KEY_CODE) setStatus(digit(2));
    else if (id === KEY_MESSAGE) {
      const to = copyPlain(messageEnd());
      if (to === 0) return false;
      setMessageEnd(to);
    } else return false;
    const more = goesOn(CLOSE_BRACE);
    if (more <= 0) return more === 0;
  }
}

function name(ofEvent: bool): bool {
  const from = position() + 1;
  const end = passString();
  if (end === 0) return false;
  if (ofEvent) setEventName(from, end);
  else setName(from, end);
  return true;
}

function eventField(id: u32): bool {
  if (id === KEY_NAME) return name(true);
  if (id === KEY_ATTRIBUTES) return attributes();
  if (id !== KEY_TIME) return false;
  setEventTime(unsigned());
  return true;
}

function event(): bool {
  if (!beginEvent() || !pass(OPEN_BRACE)) return false;
  let seen: u32 = 0;
  while (true) {
    const id = key();
    if ((seen & (1 << id)) !== 0 || !eventField(id)) return false;
    seen |= 1 << id;
    const more = goesOn(CLOSE_BRACE);
    if (more < 0) return false;
    if (more === 0) break;
  }
  endEvent();
  return true;
}

function events(): bool {
  if (!pass(OPEN_BRACKET)) return false;
  if (pass(CLOSE_BRACKET)) return true;
  while (true) {
    if (!event()) return false;
    const more = goesOn(CLOSE_BRACKET);
    if (more <= 0) return more === 0;
  }
}

function flags(): bool {
  const value = unsigned();
  setFlags(<u32>value);
  return value <= 0xffffffff;
}

function traceId(): bool {
  setWide(TRACE_HIGH, traceIdHigh());
  setWide(TRACE_LOW, traceIdLow());
  return true;
}

function wideField(column: u32, value: u64): bool {
  setWide(column, value);
  return true;
}

function field(id: u32): bool {
  switch (id) {
    case KEY_TRACE_ID:
      return traceId();
    case KEY_SPAN_ID:
      return wideField(SPAN_ID, spanId());
    case KEY_PARENT_ID:
      return wideField(PARENT_ID, spanId());
    case KEY_START:
      return wideField(START, unsigned());
    case KEY_END:
      return wideField(END, unsigned());
    case KEY_ATTRIBUTES:
      return attributes();
    case KEY_NAME:
      return name(false);
    case KEY_KIND:
      setKind(digit(5));
      return true;
    case KEY_FLAGS:
      return flags();
    case KEY_DROPPED_ATTRIBUTES:
    case KEY_DROPPED_EVENTS:
    case KEY_DROPPED_LINKS:
      return addDropped(unsigned());
    case KEY_STATUS:
      return status();
    case KEY_TRACE_STATE:
      return emptyString();
    case KEY_EVENTS:
      return events();
    case KEY_LINKS:
      return nothing(OPEN_BRACKET, CLOSE_BRACKET);
    default:
      return false;
  }
}

function span(): bool {
  if (!pass(OPEN_BRACE)) return false;
  restart();
  let seen: u32 = 0;
  while (true) {
    const id = key();
    // What stands twice counts for others to decide.
    if ((seen & (1 << id)) !== 0 || !field(id)) return false;
    seen |= 1 << id;
    const more = goesOn(CLOSE_BRACE);
    if (more < 0) return false;
    if (more === 0) return !isBad() && endRow();
  }
}

/**
 * Reads spans of a list from `from` on, until there are `most` rows, those of the calls before among them; answers where the
 * last one of which a row was made ends.
 */
export function jsonSpans(from: usize, end: usize, most: u32, stop: usize): usize {
  goTo(from);
  let accepted = from;
  while (rows() < most && accepted < stop && position() < end) {
    if (!beginRow(<u32>(end - position())) || !span()) break;
    accepted = position();
    if (!pass(COMMA)) break;
    next();
  }
  return accepted;
}
