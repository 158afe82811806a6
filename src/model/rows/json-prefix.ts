/** Deeper than any format at hand nests; a hostile head must not exhaust the stack. */
const MAX_DEPTH = 64;

class Cut extends Error {}

/**
 * The JSON value at the start of a text that may be cut anywhere: what can be seen of it, open containers closed and
 * a half-read last member left out. Undefined when the text does not start with an object or a list.
 * For recognising formats only; data is read with JSON.parse.
 */
export function parseJsonPrefix(text: string): unknown {
  const start = /^\s*[{[]/.exec(text);
  return start ? new PrefixParser(text, start[0].length - 1).container(0) : undefined;
}

class PrefixParser {
  private readonly text: string;
  private at: number;

  constructor(text: string, at: number) {
    this.text = text;
    this.at = at;
  }

  /** An object or a list; whatever goes wrong inside ends it with what was read so far. */
  container(depth: number): unknown {
    const isList = this.text[this.at] === '[';
    this.at++;
    const list: unknown[] = [];
    const object: Record<string, unknown> = Object.create(null);
    try {
      while (!this.closes()) {
        if (isList) list.push(this.value(depth + 1));
        else {
          const key = this.string();
          this.expect(':');
          // Set before the value is complete, so that a key whose value is cut is still seen.
          object[key] = undefined;
          object[key] = this.value(depth + 1);
        }
      }
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
      this.at = this.text.length;
    }
    return isList ? list : object;
  }

  private value(depth: number): unknown {
    this.space();
    const character = this.text[this.at];
    if (character === '{' || character === '[') {
      if (depth >= MAX_DEPTH) throw new Cut();
      return this.container(depth);
    }
    if (character === '"') return this.string();
    const literal = /[-+.\w]+/y;
    literal.lastIndex = this.at;
    const found = literal.exec(this.text)?.[0];
    if (found === undefined || this.at + found.length >= this.text.length) throw new Cut();
    this.at += found.length;
    if (found === 'true' || found === 'false') return found === 'true';
    return found === 'null' ? null : Number(found);
  }

  private string(): string {
    this.space();
    if (this.text[this.at] !== '"') throw new Cut();
    let end = this.at + 1;
    while (end < this.text.length && this.text[end] !== '"') end += this.text[end] === '\\' ? 2 : 1;
    if (end >= this.text.length) throw new Cut();
    const raw = this.text.slice(this.at, end + 1);
    this.at = end + 1;
    try {
      return JSON.parse(raw) as string;
    } catch {
      return raw.slice(1, -1);
    }
  }

  /** Steps over the separator; true at the end of the container. */
  private closes(): boolean {
    this.space();
    if (this.text[this.at] === ',') {
      this.at++;
      this.space();
    }
    const character = this.text[this.at];
    if (character === undefined) throw new Cut();
    if (character !== '}' && character !== ']') return false;
    this.at++;
    return true;
  }

  private expect(character: string): void {
    this.space();
    if (this.text[this.at] !== character) throw new Cut();
    this.at++;
  }

  private space(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++;
  }
}
