import { isResourceList } from './document.ts';
import { BATCHES, RESOURCE_PROFILES, TRACE } from './keys.ts';
import { BrokenJson, JsonLexer } from './lexer.ts';

/** The start of a request, for going on after text that made no sense. Inside a JSON string its quotes would be escaped. */
const start = /\{\s*"(?:resource_?(?:[sS]pans|[lL]ogs|[mM]etrics)|batches)"\s*:/g;
const lineStart = /(?:^|\n)[\s,[]*\{\s*"resource_?(?:[sS]pans|[lL]ogs|[mM]etrics)"\s*:/;
/** Longest stretch of text that the pattern may need beyond a brace, white space aside. */
export const START_LOOKAHEAD = 256;

/** Where the next request starts in `bytes[from .. end)`; -1 when none is seen. */
export function findDocument(bytes: Uint8Array, from: number, end: number): number {
  // Latin-1 keeps one character per byte, so an index into the text is an index into the bytes.
  const step = 1 << 20;
  for (let at = from; at < end; at += step) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(end - at, step + START_LOOKAHEAD)).toString(
      'latin1',
    );
    start.lastIndex = 0;
    const found = start.exec(text);
    if (found) return at + found.index;
  }
  return -1;
}

/** Byte order mark, white space and the brackets and commas around the requests of a list. */
export const isFiller = (byte: number): boolean =>
  byte === 0x20 ||
  byte === 0x0a ||
  byte === 0x0d ||
  byte === 0x09 ||
  byte === 0x2c ||
  byte === 0x5b ||
  byte === 0x5d ||
  byte === 0xef ||
  byte === 0xbb ||
  byte === 0xbf;

function isRequest(lexer: JsonLexer, depth: number): boolean {
  if (!lexer.enterObject()) return false;
  for (let key = lexer.firstKey(); key >= 0; key = lexer.nextKey()) {
    if (key === BATCHES) return hasScopes(lexer);
    if (isResourceList(key) || key === RESOURCE_PROFILES) return true;
    if (key === TRACE && depth === 0 && lexer.peek() === 0x7b) {
      if (isRequest(lexer, 1)) return true;
    } else lexer.skipValue();
  }
  return false;
}

/** `batches` is a common word; Tempo's hold scopes of spans. */
function hasScopes(lexer: JsonLexer): boolean {
  const text = Buffer.from(
    lexer.bytes.buffer,
    lexer.bytes.byteOffset + lexer.position,
    lexer.end - lexer.position,
  ).toString('latin1');
  return /"(?:scope_?[sS]pans|instrumentation_?[lL]ibrary_?[sS]pans)"/.test(text);
}

/** Whether text starts like OTLP/JSON; it may be cut anywhere. */
export function detectText(head: Uint8Array): boolean {
  let at = 0;
  while (at < head.length && isFiller(head[at]!)) at++;
  if (head[at] !== 0x7b) return false;
  const lexer = new JsonLexer();
  lexer.open(head, at, head.length);
  try {
    if (isRequest(lexer, 0)) return true;
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error;
  }
  // The first line may be damaged and the rest sound.
  return lineStart.test(Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1'));
}
