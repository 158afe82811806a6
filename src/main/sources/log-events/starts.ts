import { type Rule, sender } from './rule.ts';

/** Who waits for another program, asks whether it is there, or was asked to end does not start. */
const NO_START =
  /\b(?:wait(?:s|ed|ing)?|until|whether|if|when|not|never|no longer|stop(?:s|ped|ping)?|shut(?:ting)? ?down|closing|peer|upstream|remote|test)\b/i;

/**
 * What servers write when they answer from now on: Redis, PostgreSQL, MySQL, MongoDB, etcd, nginx, Apache, Envoy, NATS, RabbitMQ, Kafka;
 * Uvicorn, Puma, Tomcat, Spring Boot, ASP.NET; vLLM, SGLang, Triton, llama.cpp; and "listening on" with a port, as most others do.
 */
const STARTED = [
  'eady to accept connections',
  'eady for connections',
  'aiting for connections',
  'eady to serve client requests',
  'start worker processes',
  'resuming normal operations',
  'starting main dispatch loop',
  'Server is ready',
  'Server startup complete',
  'Server startup in',
  'pplication startup complete',
  'pplication started',
  '(JVM running for',
  '(process running for',
  'Starting vLLM',
  'server is fired up',
  'Started GRPCInferenceService',
  'Started HTTPService',
];
const LISTENS = /\b[Ll]istening (?:at|on)\b[^\n]{0,80}?(?:\bport\s+|:)\d{2,5}\b/;

/** Parts of such lines that look like waiting or ending. */
const NO_HINT = /[Ww]aiting for connections|[Pp]ress C(?:trl|TRL)\+C to .*/;

/** A program that wrote that it had started: the first sign of a restart where no orchestrator was recorded. */
export const startRules: readonly Rule[] = [
  {
    needles: [...STARTED, 'istening on', 'istening at'],
    pattern: /.*/,
    read: ([text]) => {
      const line = text.trim();
      const isStart = STARTED.some((words) => line.includes(words)) || LISTENS.test(line);
      if (!isStart || NO_START.test(line.replace(NO_HINT, ''))) return undefined;
      return { type: 'process_started', severity: 'low', subject: sender, message: line, attributes: {} };
    },
  },
];
