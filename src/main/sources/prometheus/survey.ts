import { readLines } from '../bytes/lines.ts';
import { parseComment } from './comment-line.ts';
import { clockLine } from './scrape-time.ts';

/** Facts about a file that are needed before its first line is read. */
export interface Survey {
  readonly openMetrics: boolean;
  /** `nodename` of node_uname_info: the machine of a node_exporter's scrape. */
  readonly host: string | undefined;
  /** Scrapes without a time. */
  readonly timeless: number;
}

const UNAME = /^node_uname_info\{.*nodename="((?:[^"\\]|\\.)*)"/;
const MAX_SEEN = 500_000;

/** Reads a file once for facts in its middle or at its end. */
export async function surveyOf(chunks: AsyncIterable<Uint8Array>): Promise<Survey> {
  let openMetrics = false;
  let host: string | undefined;
  let timeless = 0;
  const boundary = new ScrapeBoundary();
  let clocked = false;
  let counted = false;
  for await (const { text } of readLines(chunks)) {
    const line = text.trim();
    if (/^# UNIT /.test(line) || /^# EOF$/.test(line)) openMetrics = true;
    host ??= UNAME.exec(line)?.[1];
    if (clockLine(line) !== undefined) clocked = true;
    if (boundary.startsScrape(line)) counted = false;
    if (!counted && !clocked && timelessKey(line) !== undefined) {
      counted = true;
      timeless++;
    }
  }
  return { openMetrics, host, timeless };
}

/** Detects the boundaries of scrapes in a concatenation. */
export class ScrapeBoundary {
  private types = new Set<string>();
  private series = new Set<string>();
  private ended = false;
  private hasSamples = false;

  /** Whether this line is the first of another scrape: after `# EOF`, or because it repeats a series or declaration. */
  startsScrape(line: string): boolean {
    if (line === '') return false;
    const first = this.ended || this.repeats(line);
    if (first) {
      this.types = new Set();
      this.series = new Set();
      this.hasSamples = false;
    }
    this.ended = false;
    this.take(line);
    return first;
  }

  private repeats(line: string): boolean {
    if (line.startsWith('#')) {
      const type = typeName(line);
      return type !== undefined && this.hasSamples && this.types.has(type);
    }
    const key = timelessKey(line);
    return key !== undefined && this.series.has(key);
  }

  private take(line: string): void {
    if (/^#[ \t]*EOF$/.test(line)) this.ended = true;
    const type = typeName(line);
    if (type !== undefined) this.types.add(type);
    if (line.startsWith('#')) return;
    this.hasSamples = true;
    const key = timelessKey(line);
    if (key !== undefined && this.series.size < MAX_SEEN) this.series.add(key);
  }
}

/** The series of a sample line without a timestamp; undefined for any other line. */
export function timelessKey(line: string): string | undefined {
  if (line === '' || line.startsWith('#')) return undefined;
  const end = line.lastIndexOf('}') + 1 || /[ \t]/.exec(line)?.index || line.length;
  const rest = line.slice(end).trim();
  return rest === '' || /[ \t]/.test(rest) ? undefined : line.slice(0, end);
}

function typeName(line: string): string | undefined {
  if (!/^#[ \t]*TYPE[ \t]/.test(line)) return undefined;
  try {
    const comment = parseComment(line);
    return comment.kind === 'type' ? comment.name : undefined;
  } catch {
    return undefined;
  }
}
