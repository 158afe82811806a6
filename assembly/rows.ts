/**
 * Rows of spans under construction, as columns in linear memory. Who reads them out knows the places by the exported
 * constants. A row is begun, set and ended; one that is not ended leaves nothing behind.
 */

/** Spans that there is room for, from one call to {@link clear} to the next. */
export const ROWS: u32 = 2048;
/** Events of all of them. */
export const EVENTS: u32 = 4096;
/** Bytes of input at a time: small enough to stay in a processor's cache. */
export const INPUT_BYTES: u32 = 1 << 18;
/** Zeros that follow the input: no string, number or structure goes on over them, so that nothing reads past its end. */
export const SLACK: u32 = 128;
/** Pairs of attributes that every span gets (those of its scope). */
export const SCOPE_BYTES: u32 = 8192;

/** 64 places of 40 bytes: a key's text, its length and its number. */
export const KEYS: u32 = 4096;
export const SCOPE: u32 = 8192;
export const INPUT: u32 = SCOPE + SCOPE_BYTES;
export const TEXT: u32 = INPUT + INPUT_BYTES + SLACK;
const TEXT_BYTES: u32 = INPUT_BYTES * 3;
export const MESSAGE: u32 = TEXT + TEXT_BYTES + SLACK;
/** One column after the other: trace_hi, trace_lo, span_id, parent_id, start_ns, end_ns. */
export const WIDE: u32 = MESSAGE + INPUT_BYTES + SLACK;
export const NAME_FROM: u32 = WIDE + ROWS * 48;
export const NAME_TO: u32 = NAME_FROM + ROWS * 4;
export const FLAGS: u32 = NAME_TO + ROWS * 4;
export const DROPPED: u32 = FLAGS + ROWS * 4;
/** ROWS + 1 of them, as the other side keeps texts. */
export const TEXT_ENDS: u32 = DROPPED + ROWS * 4;
export const MESSAGE_ENDS: u32 = TEXT_ENDS + (ROWS + 1) * 4;
export const KIND: u32 = MESSAGE_ENDS + (ROWS + 1) * 4;
export const STATUS: u32 = KIND + ROWS;
export const EVENT_TEXT: u32 = STATUS + ROWS;
/** One column after the other: trace_hi, trace_lo and span_id of the span, time_ns. */
export const EVENT_WIDE: u32 = EVENT_TEXT + TEXT_BYTES + SLACK;
export const EVENT_NAME_FROM: u32 = EVENT_WIDE + EVENTS * 32;
export const EVENT_NAME_TO: u32 = EVENT_NAME_FROM + EVENTS * 4;
export const EVENT_ENDS: u32 = EVENT_NAME_TO + EVENTS * 4;

/** Places in {@link WIDE}; the first three are those of {@link EVENT_WIDE}, too. */
export const TRACE_HIGH: u32 = 0;
export const TRACE_LOW: u32 = 1;
export const SPAN_ID: u32 = 2;
export const PARENT_ID: u32 = 3;
export const START: u32 = 4;
export const END: u32 = 5;
const EVENT_TIME: u32 = 3;

let row: u32 = 0;
/** Events that there are, and those of them whose span is a row. */
let event: u32 = 0;
let settled: u32 = 0;
/** Where the attributes of the present span, or of its present event, began, and where they go on. */
let mark: usize = TEXT;
let text: usize = TEXT;
/** Those of the span while its event is read. */
let spanMark: usize = TEXT;
let spanText: usize = TEXT;
let message: usize = MESSAGE;
let scopeLength: u32 = 0;
/** The row that was begun last may have room once the others are gone. */
let full: bool = false;

/** How many bytes of {@link SCOPE} every row gets. */
export function setScope(length: u32): void {
  scopeLength = length;
}

/** Whether the row that was begun last was too much for what is left beside the others. */
export function isFull(): bool {
  return full;
}

export function rows(): u32 {
  return row;
}

/** How many of the events belong to rows. */
export function events(): u32 {
  return settled;
}

/** The rows have been read out: the next one is the first again. */
export function clear(): void {
  row = 0;
  settled = 0;
}

/** False when there may be no room for a row whose input is this long. */
export function beginRow(inputBytes: u32): bool {
  mark = TEXT + load<u32>(TEXT_ENDS + row * 4);
  text = mark;
  message = MESSAGE + load<u32>(MESSAGE_ENDS + row * 4);
  event = settled;
  // An escape makes two bytes of one.
  const most = inputBytes * 2 + scopeLength + SLACK;
  full =
    <u32>text + most > TEXT + TEXT_BYTES ||
    load<u32>(EVENT_ENDS + event * 4) + most > TEXT_BYTES ||
    <u32>message + inputBytes > MESSAGE + INPUT_BYTES;
  if (full) return false;
  for (let i: u32 = 0; i < 6; i++) setWide(i, 0);
  setName(0, 0);
  store<u32>(FLAGS + row * 4, 0);
  store<u32>(DROPPED + row * 4, 0);
  store<u8>(KIND + row, 0);
  store<u8>(STATUS + row, 0);
  return true;
}

export function setWide(column: u32, value: u64): void {
  store<u64>(WIDE + (column * ROWS + row) * 8, value);
}

function wide(column: u32): u64 {
  return load<u64>(WIDE + (column * ROWS + row) * 8);
}

/** The name's bytes in the input. */
export function setName(from: usize, to: usize): void {
  store<u32>(NAME_FROM + row * 4, <u32>from);
  store<u32>(NAME_TO + row * 4, <u32>to);
}

export function setKind(kind: u32): void {
  store<u8>(KIND + row, kind);
}

export function setStatus(code: u32): void {
  store<u8>(STATUS + row, code);
}

export function setFlags(flags: u32): void {
  store<u32>(FLAGS + row * 4, flags);
}

/** Counts from several fields are added up; false when they are more than anything means. */
export function addDropped(count: u64): bool {
  const sum = <u64>load<u32>(DROPPED + row * 4) + count;
  store<u32>(DROPPED + row * 4, <u32>sum);
  return count <= 0xffffffff && sum <= 0xffffffff;
}

/** Puts what comes before a pair of attributes; answers where the pair goes. */
export function beginPair(): usize {
  store<u8>(text, text === mark ? 0x7b : 0x2c);
  return text + 1;
}

export function endPair(at: usize): void {
  text = at;
}

export function messageEnd(): usize {
  return message;
}

export function setMessageEnd(at: usize): void {
  message = at;
}

/** False when there are too many: attributes belong to the event from now on. */
export function beginEvent(): bool {
  full = event + 1 >= EVENTS;
  if (full) return false;
  spanMark = mark;
  spanText = text;
  mark = EVENT_TEXT + load<u32>(EVENT_ENDS + event * 4);
  text = mark;
  setEventTime(0);
  setEventName(0, 0);
  return true;
}

export function setEventTime(time: u64): void {
  store<u64>(EVENT_WIDE + (EVENT_TIME * EVENTS + event) * 8, time);
}

export function setEventName(from: usize, to: usize): void {
  store<u32>(EVENT_NAME_FROM + event * 4, <u32>from);
  store<u32>(EVENT_NAME_TO + event * 4, <u32>to);
}

export function endEvent(): void {
  closePairs();
  event++;
  store<u32>(EVENT_ENDS + event * 4, <u32>(text - EVENT_TEXT));
  mark = spanMark;
  text = spanText;
}

function closePairs(): void {
  if (text === mark) return;
  store<u8>(text, 0x7d);
  text++;
}

/** Events carry the ids of their span. */
function settleEvents(): void {
  for (; settled < event; settled++)
    for (let column = TRACE_HIGH; column <= SPAN_ID; column++)
      store<u64>(EVENT_WIDE + (column * EVENTS + settled) * 8, wide(column));
}

/** False for a span that has to be rejected, which is for others to say. */
export function endRow(): bool {
  if ((wide(TRACE_HIGH) | wide(TRACE_LOW)) === 0 || wide(SPAN_ID) === 0) return false;
  const start = wide(START);
  const end = wide(END);
  if (start === 0 || <i64>(start | end) < 0) return false;
  if (end === 0) setWide(END, start);
  if (scopeLength > 0) {
    const at = beginPair();
    memory.copy(at, SCOPE, scopeLength);
    text = at + scopeLength;
  }
  closePairs();
  settleEvents();
  row++;
  store<u32>(TEXT_ENDS + row * 4, <u32>(text - TEXT));
  store<u32>(MESSAGE_ENDS + row * 4, <u32>(message - MESSAGE));
  return true;
}
