const BACKSPACE = new Set(['\u007f', '\b']);
const END = new Set(['\r', '\n', '\u0004']);
const INTERRUPT = '\u0003';

/** Reads a secret that is piped in, or typed without echo. @throws when Ctrl-C ends it */
export async function readSecret(promptText: string, signal: AbortSignal): Promise<string> {
  const { stdin, stderr } = process;
  if (stdin.isTTY !== true) {
    const chunks: string[] = [];
    for await (const chunk of stdin.setEncoding('utf8')) chunks.push(chunk as string);
    return chunks.join('').replace(/\r?\n$/, '');
  }
  stderr.write(promptText);
  stdin.setRawMode(true);
  try {
    let typed = '';
    for await (const chunk of stdin) {
      for (const character of String(chunk)) {
        if (END.has(character)) return typed;
        if (character === INTERRUPT || signal.aborted) throw new Error('interrupted');
        typed = BACKSPACE.has(character) ? typed.slice(0, -1) : typed + character;
      }
    }
    return typed;
  } finally {
    stdin.setRawMode(false);
    stderr.write('\n');
  }
}
