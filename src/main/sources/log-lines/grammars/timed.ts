import { severityOfWord } from '../../log-record/level.ts';
import { rankIn } from '../../log-record/lift.ts';
import { readTraceContext } from '../../log-record/trace-context.ts';
import { parseObject } from '../envelope.ts';
import { type Grammar, nothing, type ReadLine } from '../grammar.ts';
import { findTime } from '../time-forms.ts';

/** Who wrote a line and how severe it is, as words behind its time; each library has its own order and separators. */
interface Header {
  readonly level: string;
  readonly logger: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly rest: string;
}

const NAME = String.raw`[A-Za-z_][\w.$/-]{0,150}`;
const LEVEL = '[A-Za-z]{3,11}';
/** Forms of headers. Python logging, Loguru, Logback, zap's console, torchrun, PostgreSQL. In order: the first whose level is a level word. */
const forms: readonly RegExp[] = [
  // `| INFO     | module:function:12 - text` (Loguru)
  new RegExp(String.raw`^\| ?(?<level>${LEVEL}) {0,9}\| (?<logger>[^\s|]{1,200}) - `),
  // `INFO:name:text`, `INFO - name - text`
  new RegExp(`^(?<level>${LEVEL}) ?[:-] ?(?<logger>${NAME})(?:: ?| - )`),
  // `[thread-1] INFO  com.example.Name - text`, `INFO [thread-1] com.example.Name: text`
  new RegExp(String.raw`^\[(?<thread>[^\]]{1,100})\] (?<level>${LEVEL}) {1,8}(?<logger>${NAME}) ?[-:] `),
  new RegExp(String.raw`^(?<level>${LEVEL}) {1,8}\[(?<thread>[^\]]{1,100})\] (?<logger>${NAME}) ?[-:]? `),
  // `- name - INFO - text`, `name: [INFO] text`, `name INFO text`, `- [name] - INFO - text`
  new RegExp(String.raw`^-? ?\[?(?<logger>${NAME})\]?(?::| -)? \[?(?<level>${LEVEL})\]?(?: {0,8}-|:)? `),
  // `INFO name: text`, `[INFO] name: text`, `INFO 1234 --- [main] name : text` (Spring Boot)
  new RegExp(
    String.raw`^\[?(?<level>${LEVEL})\]? {1,8}(?:\d{1,10} --- \[(?<thread>[^\]]{1,100})\] )?(?<logger>${NAME})(?:\[\d+\])? {0,40}: `,
  ),
  // `INFO\tfile.go:12\ttext` (zap console), `[INFO] text`, `INFO: text`, `INFO text`, `(INFO) text`, `<INFO> text`
  new RegExp(String.raw`^[-|]? ?[[(<]?(?<level>${LEVEL})[\])>]?(?::|,|\t| [-|] | {0,8})`),
];
const LONGEST_HEADER = 400;
/** SGLang: `[2026-05-01 14:04:20 DP0 TP1] text`, the place of the process in the job behind the time. */
const PARALLEL = /^ ((?:[A-Z]{2}\d{1,4} ?){1,6})\] ?/;

/** Before the time: the rank or role of a process, as torchrun's `--tee` and loggers put it: `[rank3]:`, `[default0]:`, `[titan] `. */
const TAG = /^(?:\[([A-Za-z][\w.-]{0,60})\]:? ?){1,2}(?=[[(]?\d)/;

/** Every line that begins with a time in a known form, with the level and the logger that follow it where they do. */
export const timedLine: Grammar = {
  id: 'timed',
  read(line) {
    const tag = TAG.exec(line);
    const timed = tag ? line.slice(tag[0].length) : line;
    const found = findTime(timed);
    if (!found) return undefined;
    const text = timed.slice(found.end);
    const parallel = found.open ? PARALLEL.exec(text) : null;
    const rest = parallel
      ? text.slice(parallel[0].length)
      : text.replace(found.open ? /^[^\]]{0,40}\][:,]? ?/ : /^[:,]?\s?/, '');
    const { level, logger, attributes, rest: body } = readHeader(rest);
    return finished({
      moment: found.moment,
      severity: severityOfWord(level),
      severity_text: level,
      body,
      scope: logger || (tag?.[1] ?? ''),
      rank: tag ? rankIn(tag[0]) : undefined,
      resource: nothing,
      attributes: parallel ? { ...attributes, ...ranksIn(parallel[1]!) } : attributes,
      remark: `the form of the times is taken to be ${found.form}`,
    });
  },
};

/** `INFO:name:text`: Python's default form, which has no time. */
const BARE = /^(?<level>DEBUG|INFO|WARNING|ERROR|CRITICAL):(?<logger>[\w.-]{1,150}):/;
export const bareLevel: Grammar = {
  id: 'python-bare',
  read(line) {
    const { level = '', logger = '' } = BARE.exec(line)?.groups ?? {};
    if (level === '') return undefined;
    return finished({
      moment: undefined,
      severity: severityOfWord(level),
      severity_text: level,
      body: line.slice(level.length + logger.length + 2),
      scope: logger,
      resource: nothing,
      attributes: nothing,
    });
  },
};

function readHeader(text: string): Header {
  const start = text.slice(0, LONGEST_HEADER);
  for (const form of forms) {
    const match = form.exec(start);
    if (!match) continue;
    const { level = '', logger = '', thread } = match.groups ?? {};
    if (severityOfWord(level) === 0 || severityOfWord(logger) > 0) continue;
    // `Error while reading` begins a sentence; levels are written in one case and stand apart.
    if (logger === '' && /^[A-Z][a-z]+ $/.test(match[0])) continue;
    return {
      level,
      logger,
      attributes: thread ? { 'thread.name': thread } : nothing,
      rest: text.slice(match[0].length).trimStart(),
    };
  }
  return { level: '', logger: '', attributes: nothing, rest: text };
}

/** `DP0 TP1`: ranks within data, tensor, pipeline and expert parallel groups. */
const ranksIn = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...text.matchAll(/([A-Z]{2})(\d{1,4})/g)].map(([, group = '', rank]) => [
      `${group.toLowerCase()}.rank`,
      Number(rank),
    ]),
  );

/** Adds what the text itself names: trace, span and rank; the fields of a JSON object at its end. */
function finished(line: ReadLine): ReadLine {
  const { body } = line;
  const at = body.endsWith('}') ? body.indexOf('\t{"') : -1;
  const fields = at < 0 ? undefined : parseObject(body.slice(at + 1));
  const named = `[${String(line.attributes['thread.name'])}] [${line.scope}]`;
  const rank = line.rank ?? rankIn(body) ?? rankIn(named);
  const given = Object.assign(Object.create(null) as Record<string, unknown>, fields);
  const text = (...keys: string[]) =>
    String(keys.map((key) => given[key]).find((one) => typeof one === 'string') ?? '');
  return {
    ...line,
    body: fields ? body.slice(0, at) : body,
    attributes: { ...line.attributes, ...fields, rank },
    rank,
    context: readTraceContext(
      {
        trace: text('trace_id', 'traceId'),
        span: text('span_id', 'spanId'),
        traceparent: text('traceparent'),
        flags: '',
      },
      body,
    ),
  };
}
