import { DURATION, OTHER, REQUEST, words } from './request-outcome.ts';

/** Server histograms of OpenTelemetry, today's and older names: what one service answers may be in several. */
export const serverHistograms: ReadonlySet<string> = new Set([
  'http.server.request.duration',
  'http.server.duration',
  'http_server_request_duration_seconds',
  'rpc.server.call.duration',
  'rpc.server.duration',
  'gen_ai.server.request.duration',
]);

/** The run of the model alone: the nearest to a request where a server measures only its steps, as KServe does. */
export const modelRun = 'gen_ai.server.request.inference.duration';
/** Steps of a request before and after the run of the model, none of which is part of another one. */
export const stepsBeside: readonly string[] = [
  'gen_ai.server.request.queue.duration',
  'gen_ai.server.request.preprocess.duration',
  'gen_ai.server.request.postprocess.duration',
];

const HANDLED: ReadonlySet<string> = new Set(['handling', 'step', 'steps', 'iteration', 'iterations']);
/** A part of the answer, or what comes before it. */
const PART: ReadonlySet<string> = new Set(
  'prefill decode preprocess postprocess queue queued queueing wait waiting first last idle between interval data load loader forward backward optimizer checkpoint save validation eval evaluation'.split(
    ' ',
  ),
);

/**
 * Whether a histogram of this name holds how long a service took to answer requests, or a job for its steps:
 * `istio_request_duration_milliseconds`, `grpc_server_handling_seconds`, `training_step_duration_seconds`.
 */
export function isServedDuration(name: string): boolean {
  // Their parts are stages (serving-stages.ts).
  if (serverHistograms.has(name) || name.startsWith('gen_ai.server.request.')) return serverHistograms.has(name);
  const all = words(name);
  return (
    all.some((word) => REQUEST.has(word) || HANDLED.has(word)) &&
    all.some((word) => DURATION.has(word)) &&
    !all.some((word) => OTHER.has(word) || PART.has(word))
  );
}
