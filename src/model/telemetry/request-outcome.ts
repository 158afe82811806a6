/**
 * Outcome of the requests that a counter counts, by meaning: by words of their names (`requests_failed_total`) and by values of
 * their labels (`status="error"`, `code="503"`, `grpc_code="Unavailable"`, `finished_reason="abort"`). A failure is what the service
 * did wrong, as OpenTelemetry has it for server spans (https://opentelemetry.io/docs/specs/semconv/http/http-spans/#status,
 * https://opentelemetry.io/docs/specs/semconv/rpc/grpc/): what the caller did wrong, or gave up, is none.
 */
export type RequestOutcome = 'failed' | 'passed';

/** Meaning of the name of a counter. */
export interface CounterName {
  /** Equal for counters of the same requests, whatever outcome they count. */
  readonly stem: string;
  /** Undefined: it counts all. */
  readonly outcome: RequestOutcome | undefined;
}

/** Words of a name, in lower case. */
export const words = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** What servers answer, as names of metrics have it. */
export const REQUEST = set(
  'request requests req reqs rq rpc rpcs call calls query queries inference inferences invocation invocations prediction predictions handled response responses',
);
/** Metrics of something else: of what the service asks of others, of bytes, of its own measuring. */
export const OTHER = set(
  'client outbound egress upstream dns cache db sql scrape scrapes exporter export retry retries log logs span spans metric promhttp webhook connection connections packet packets byte bytes token tokens size',
);
/** How long something takes. */
export const DURATION = set('duration seconds latency time');
const ENDING = set('total count counter num number');
const FAILED = set(
  'failed failure failures fail fails error errors exception exceptions timeout timeouts 5xx aborted rejected',
);
const PASSED = set('success successes succeeded successful ok completed passed');

/** Undefined: no counter of requests that a service answered. */
export function readCounterName(name: string): CounterName | undefined {
  const all = words(name);
  if (!all.some((word) => REQUEST.has(word)) || all.some((word) => OTHER.has(word) || DURATION.has(word)))
    return undefined;
  const outcome = all.some((word) => FAILED.has(word))
    ? 'failed'
    : all.some((word) => PASSED.has(word))
      ? 'passed'
      : undefined;
  const stem = all
    .filter((word) => !ENDING.has(word) && !FAILED.has(word) && !PASSED.has(word))
    .map((word) => word.replace(/s$/, ''))
    .join(' ');
  return { stem, outcome };
}

const FAILED_VALUES = set(
  'error errors err fail failed failure exception timeout timed_out time_out server_error internal_error internal_server_error crash crashed fatal oom out_of_memory rejected 5xx internal unavailable deadline_exceeded unimplemented data_loss',
);
const PASSED_VALUES = set(
  'ok success succeeded successful completed complete done finished passed client_error redirect redirection informational stop length eos eos_token stop_sequence tool_calls function_call content_filter abort aborted cancel cancelled canceled 1xx 2xx 3xx 4xx invalid_argument not_found already_exists permission_denied unauthenticated resource_exhausted failed_precondition out_of_range',
);
const GRPC_FAILED: ReadonlySet<number> = new Set([2, 4, 12, 13, 14, 15]);
const STATES_OUTCOME = set(
  'status code result outcome reason response class grpc rpc error err exception success succeeded successful failed failure ok',
);
/** Names and kinds of what was asked for: their values are no outcome. */
const ASKED = set('method service path route handler name model host uri url');
const NO = set('false no none null 0 nil');

/**
 * Outcome by one label of a series. Undefined: the label states none, or none that is known.
 */
export function labelOutcome(key: string, value: string): RequestOutcome | undefined {
  const names = words(key);
  if (!names.some((name) => STATES_OUTCOME.has(name)) || names.some((name) => ASKED.has(name))) return undefined;
  const has = (...some: string[]): boolean => some.some((one) => names.includes(one));
  const text = words(value).join('_');
  if (text === '') return undefined;
  if (/^\d+$/.test(text)) return numberOutcome(Number(text), has);
  if (has('error', 'exception', 'failed', 'failure', 'err'))
    return NO.has(text) ? 'passed' : text === 'unknown' ? undefined : 'failed';
  if (has('success', 'succeeded', 'successful', 'ok'))
    return text === 'true' || text === 'yes' ? 'passed' : NO.has(text) ? 'failed' : undefined;
  if (has('grpc', 'rpc') && text === 'unknown') return 'failed';
  return FAILED_VALUES.has(text) ? 'failed' : PASSED_VALUES.has(text) ? 'passed' : undefined;
}

/** Codes of HTTP and gRPC, classes of HTTP codes, and 0 and 1 for no and yes. */
function numberOutcome(value: number, has: (...some: string[]) => boolean): RequestOutcome | undefined {
  if (has('grpc', 'rpc') && value <= 16) return GRPC_FAILED.has(value) ? 'failed' : 'passed';
  if (value >= 100 && value < 600) return value >= 500 ? 'failed' : 'passed';
  if (has('class') && value >= 1 && value <= 5) return value === 5 ? 'failed' : 'passed';
  if (has('error', 'exception', 'failed', 'failure', 'err')) return value === 0 ? 'passed' : 'failed';
  if (has('success', 'succeeded', 'successful', 'ok'))
    return value === 1 ? 'passed' : value === 0 ? 'failed' : undefined;
  return undefined;
}

/** Labels by which a series counts requests that the service made, and not those that it answered. */
export const isOfCaller = (key: string, value: string): boolean =>
  (key === 'reporter' && value === 'source') || /^(client|outbound|egress|producer)$/i.test(value);
