import { parseComment } from './comment-line.ts';
import { LineError, parseSampleLine } from './sample-line.ts';

/**
 * https://prometheus.io/docs/instrumenting/exposition_formats/ and
 * https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
 */
const LINES = 40;

/**
 * Declarations, or samples with labels, and few other lines. A bare `name value` does not suffice: half of /proc has
 * that form.
 */
export function looksLikeText(text: string): boolean {
  const lines = text.split('\n', LINES + 1);
  // The last line may be cut off.
  if (lines.length > 1) lines.pop();
  let distinctiveLines = 0;
  let others = 0;
  for (const line of lines) {
    const kind = kindOf(line.trim());
    if (kind === 'distinctive') distinctiveLines++;
    else if (kind === 'other') others++;
  }
  return distinctiveLines > 0 && others * 4 <= distinctiveLines;
}

function kindOf(line: string): 'distinctive' | 'neutral' | 'other' {
  if (line === '') return 'neutral';
  try {
    if (line.startsWith('#')) return parseComment(line).kind === 'type' ? 'distinctive' : 'neutral';
    const { labels, key } = parseSampleLine(line, { openMetrics: true });
    return labels.size > 0 || key.startsWith('{') ? 'distinctive' : 'neutral';
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    return 'other';
  }
}

/** Delimited io.prometheus.client.MetricFamily messages: length, field 1 (name), field 2 (help) or 3 (type). */
export function looksLikeProtobuf(bytes: Uint8Array): boolean {
  const at = (bytes[0] ?? 0) < 0x80 ? 1 : (bytes[1] ?? 0x80) < 0x80 ? 2 : 3;
  const length = bytes[at + 1] ?? 0;
  if (bytes[at] !== 0x0a || length === 0 || length >= 0x80 || bytes.length < at + 3 + length) return false;
  const name = new TextDecoder().decode(bytes.subarray(at + 2, at + 2 + length));
  const next = bytes[at + 2 + length];
  return /^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name) && (next === 0x12 || next === 0x18);
}
