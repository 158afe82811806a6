/** The usual spans of OTLP, read into columns; what is unusual is left to the decoders of `src/main/sources`. */

export { jsonSpans } from './json-spans';
export { addKey } from './json-values';
export { protobufSpans } from './protobuf-spans';
export { position } from './reading';
export {
  clear,
  DROPPED,
  EVENT_ENDS,
  EVENT_NAME_FROM,
  EVENT_NAME_TO,
  EVENT_TEXT,
  EVENT_WIDE,
  EVENTS,
  events,
  FLAGS,
  INPUT,
  INPUT_BYTES,
  isFull,
  KIND,
  MESSAGE,
  MESSAGE_ENDS,
  NAME_FROM,
  NAME_TO,
  ROWS,
  rows,
  SCOPE,
  SCOPE_BYTES,
  SLACK,
  STATUS,
  setScope,
  TEXT,
  TEXT_ENDS,
  WIDE,
} from './rows';
