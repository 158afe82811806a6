import { digitsToClock, monthNumber } from '../../../../model/local-time.ts';
import { type Moment, readIsoTime } from '../../log-record/moment.ts';
import { readTraceContext } from '../../log-record/trace-context.ts';
import { accessDurations } from '../access-durations.ts';
import { type Grammar, nothing, type ReadLine } from '../grammar.ts';

/** nginx `combined` and Apache's: client, user, [time], "request", status, bytes, "referer", "user agent", perhaps more. */
const COMBINED =
  /^(\S{1,253}) \S{1,200} (\S{1,200}) \[(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-]\d{4})\] "([^"]{0,8192})" (\d{3}) (\d{1,18}|-)(?: "([^"]{0,8192})" "([^"]{0,8192})")?/;
/** Envoy's default: [time] "request" status flags, received, sent, duration (ms), upstream duration, forwarded for, agent, request id, authority, upstream. */
const ENVOY =
  /^\[(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)\] "([^"]{0,8192})" (\d{3}) (\S{1,80})(?: (.{0,16384}))?$/;
const REQUEST = /^([A-Z]{1,20}) (\S{1,8192})(?: HTTP\/([\d.]{1,4}))?$/;

/** Access logs of nginx, Apache and Envoy, with attributes of the semantic conventions for HTTP. */
export const accessLog: Grammar = {
  id: 'access',
  read: (line) => (line.charCodeAt(0) === 0x5b ? envoy(line) : combined(line)),
};

function combined(line: string): ReadLine | undefined {
  const match = COMBINED.exec(line);
  if (!match) return undefined;
  const [, client, user, day, month = '', year, hour, minute, second, zone, request = '', status, size, , agent] =
    match;
  const clock = digitsToClock([year, String(monthNumber(month)), day, hour, minute, second]);
  const pad = (value: number | undefined) => String(value ?? 0).padStart(2, '0');
  const moment = readIsoTime(
    `${clock.year}-${pad(clock.month)}-${pad(clock.day)}T${pad(clock.hour)}:${pad(clock.minute)}:${pad(clock.second)}${zone}`,
  );
  return accessLine(line, moment, request, Number(status), {
    'client.address': client,
    'user.name': user === '-' ? undefined : user,
    'http.response.body.size': size === '-' ? undefined : Number(size),
    'user_agent.original': agent === '-' ? undefined : agent,
    ...accessDurations(line.slice(match[0].length)),
  });
}

function envoy(line: string): ReadLine | undefined {
  const match = ENVOY.exec(line);
  if (!match) return undefined;
  const [, time = '', request = '', status, flags, rest = ''] = match;
  const quoted = [...rest.matchAll(/"([^"]*)"/g)].map(([, text]) => text);
  const numbers = /(?:^|\s)(\d{1,18}) (\d{1,18}) (\d{1,18})(?: (\d{1,18}))?(?: |$)/.exec(
    rest.replaceAll(/"[^"]*"/g, '""'),
  );
  const known = quoted.length >= 5 ? quoted.slice(-5) : [];
  const meant = (text: string | undefined) => (text === '-' || text === '' ? undefined : text);
  return accessLine(line, readIsoTime(time), request, Number(status), {
    'envoy.response_flags': flags === '-' ? undefined : flags,
    'http.request.body.size': numbers ? Number(numbers[1]) : undefined,
    'http.response.body.size': numbers ? Number(numbers[2]) : undefined,
    duration_ms: numbers ? Number(numbers[3]) : undefined,
    'upstream.duration_ms': numbers?.[4] === undefined ? undefined : Number(numbers[4]),
    'user_agent.original': meant(known[1]),
    'request.id': meant(known[2]),
    'server.address': meant(known[3]),
    'upstream.address': meant(known[4]),
  });
}

/** A request as an access log states it. @param request method, path and perhaps version, as in the first line of HTTP */
export function accessLine(
  line: string,
  moment: Moment | undefined,
  request: string,
  status: number,
  attributes: Readonly<Record<string, unknown>>,
): ReadLine | undefined {
  if (moment === undefined) return undefined;
  const [, method, path, version] = REQUEST.exec(request) ?? [];
  return {
    moment,
    severity: 0,
    severity_text: '',
    body: line,
    scope: '',
    resource: nothing,
    attributes: {
      'http.request.method': method,
      'url.path': path,
      'network.protocol.version': version,
      'http.response.status_code': status,
      ...attributes,
    },
    context: readTraceContext({ trace: '', span: '', traceparent: '', flags: '' }, line),
  };
}
