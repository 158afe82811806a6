const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;

/**
 * Finds the end of one JSON object, list or string that arrives in pieces: where it stopped, it goes on with the
 * next piece, so every byte is looked at once however long the value is.
 */
export class ValueScan {
  /** Index of a line end inside a string, which JSON forbids: the text was cut here and something else follows. */
  brokenAt = -1;
  private depth = 0;
  private inString = false;
  private escaped = false;

  /** Looks at `bytes[at .. end)`; answers the index after the value, or -1 when it goes on or is broken. */
  feed(bytes: Uint8Array, at: number, end: number): number {
    let { depth, inString, escaped } = this;
    for (let i = at; i < end; i++) {
      const byte = bytes[i]!;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) {
          inString = false;
          if (depth === 0) return i + 1;
        } else if (byte === NEWLINE) {
          this.brokenAt = i;
          return -1;
        }
      } else if (byte === QUOTE) inString = true;
      else if (byte === 0x7b || byte === 0x5b) depth++;
      else if ((byte === 0x7d || byte === 0x5d) && --depth <= 0) return i + 1;
    }
    this.depth = depth;
    this.inString = inString;
    this.escaped = escaped;
    return -1;
  }
}
