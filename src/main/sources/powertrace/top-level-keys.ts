/**
 * Keys of the outermost JSON object that are visible in a head of a file, which may be cut anywhere.
 * Empty when the head does not begin with an object.
 */
export function topLevelKeys(head: Uint8Array): string[] {
  const text = new TextDecoder()
    .decode(head)
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (!text.startsWith('{')) return [];
  const keys: string[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    else if (character === '"') {
      const end = closingQuote(text, at);
      if (end < 0) break;
      if (depth === 1 && /^\s*:/.test(text.slice(end + 1, end + 40))) keys.push(text.slice(at + 1, end));
      at = end;
    }
  }
  return keys;
}

function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}
