import { severities } from '../../../model/entity.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import type { Source, SourceInput } from '../../../model/storage/source.ts';
import { parseTime } from '../../../model/time.ts';
import { edgeKinds } from '../../../model/topology.ts';
import { WrittenRows } from './written-rows.ts';

const HEADER = /^# faultline recording from (\S{1,40})\s*$/i;
/** More than anyone writes by hand. */
const MAX_BYTES = 16 * 1024 * 1024;
const LONGEST_LINE = 65_536;
/** Seconds after the start have at most eight digits. */
const LAST_START_NS = 2n ** 63n - 10n ** 17n - 1n;

export const handWritten: Source = {
  id: 'hand-written',
  title: 'Recording written by hand (a line for each link, event, series, log record, span or collective)',
  looks_for: 'the first line "# Faultline recording from 2026-01-01T00:00:00Z"',
  detect: (head) => HEADER.test(head.text.split(/\r?\n/, 1)[0] ?? ''),
  read,
};

/**
 * A line a row; times are seconds after the time in the first line.
 *
 *     server:n1 contains gpu:G0                        a link
 *     10 gpu:G0 xid_error high kernel: Xid 79 {"xid":79}   an event: severity, reporter, message, attributes
 *     samples hw.gpu.clock.sm gpu:G0 every 10: 1980 900    from second 0; `from 600` after `every` begins later
 *     durations gpu.cuda.operation.duration gpu:G2 every 10: 500x12 500x60   a histogram: how many operations and their mean in us
 *     log 12 server:n1: No space left on device        a log record
 *     span 0..10 job:train ProfilerStep#1              a span; `version=2` after the entity states its service's version
 *     spans 0..60 service:llm every 0.5 took 0.2 replica=r1 generate {"cache.hit":true}   spans with attributes, of an instance
 *     request 60..90 api -> pay: !!.                   each second a request whose calls fail (!) or not; `-> ?` records no callee
 *     collective dp 7 all_reduce: 0=10..10.5 1=10.4..10.5 2=11..   operation 7 of group dp: who entered and left it; ranks 0,1,2
 *     until 1200                                       the recording goes on to here
 */
async function* read(input: SourceInput): AsyncIterable<RowBatch> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of input.chunks) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES)
      fail('file.too_large', `${input.name} is larger than a recording written by hand can be (16 MiB)`);
    chunks.push(chunk);
  }
  const [header = '', ...lines] = new TextDecoder().decode(Buffer.concat(chunks)).split(/\r?\n/);
  const builder = new BatchBuilder();
  const rows = new WrittenRows(builder, startOf(header));
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    try {
      writeLine(rows, line.trim());
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      builder.reject(input.name, index + 2, `line ${index + 2}: ${error.problem.message}`, line);
    }
  }
  yield builder.finish(bytes);
}

/** @throws ProblemError for a header without a time */
function startOf(header: string): bigint {
  const start_ns = parseTime(HEADER.exec(header.replace(/^\uFEFF/, ''))?.[1] ?? '', 'the first line');
  return start_ns > LAST_START_NS ? fail('time.range', 'the start in the first line is too late') : start_ns;
}

const ENTITY = '([a-z]{1,40}):(\\S+)';
const SECONDS = '(\\d{1,8}(?:\\.\\d{1,9})?)';
const form = (...parts: readonly string[]): RegExp => new RegExp(`^${parts.join(' ')}$`);
type Write = (rows: WrittenRows, parts: string[]) => void;

const forms: readonly (readonly [RegExp, Write])[] = [
  [form(ENTITY, `(${edgeKinds.join('|')})`, ENTITY), (rows, parts) => rows.edge(parts)],
  [
    form('samples', '(\\S+)', ENTITY, `every ${SECONDS}(?: from ${SECONDS})?:`, '(.+)'),
    (rows, parts) => rows.samples(parts),
  ],
  [form('durations', '(\\S+)', ENTITY, `every ${SECONDS}:`, '(.+)'), (rows, parts) => rows.durations(parts)],
  [form('log', SECONDS, `${ENTITY}:`, '(.+)'), (rows, parts) => rows.log(parts)],
  [
    form('span', `${SECONDS}\\.\\.${SECONDS}`, `${ENTITY}(?: version=(\\S+))?`, '(.+)'),
    (rows, parts) => rows.span(parts),
  ],
  [
    form(
      'spans',
      `${SECONDS}\\.\\.${SECONDS}`,
      ENTITY,
      'every',
      SECONDS,
      `took ${SECONDS}(?: replica=(\\S+))?`,
      '(.+)',
    ),
    (rows, parts) => rows.spans(parts),
  ],
  [
    form('request', '(\\d{1,8})\\.\\.(\\d{1,8})', '(\\S+)', '->', '(\\S+):', '([!.]{1,1000})'),
    (rows, parts) => rows.requests(parts),
  ],
  [form('collective', '(\\S+)', '(\\d{1,15})', '(\\S+):', '(.+)'), (rows, parts) => rows.collective(parts)],
  [form('until', SECONDS), (rows, [second = '']) => rows.log([second, '', '', 'the recording ends'])],
  [
    form(SECONDS, ENTITY, '(\\w+)', `(${severities.join('|')})`, '(\\S+):(?: (.*))?'),
    (rows, parts) => rows.event(parts),
  ],
];

/** @throws ProblemError for what is no row, or a row that cannot be */
export function writeLine(rows: WrittenRows, line: string): void {
  if (line.length > LONGEST_LINE) fail('row.too_long', `longer than ${LONGEST_LINE} characters`);
  for (const [shape, write] of forms) {
    const match = shape.exec(line);
    if (match) return write(rows, match.slice(1));
  }
  fail('row.form', 'not a link, event, samples, durations, log, span, spans, request, collective or until');
}
