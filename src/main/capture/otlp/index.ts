import { fail, ProblemError } from '../../../model/problem.ts';
import type { Feed } from '../../../model/storage/feed.ts';
import { checkListening, failed } from '../connection-checks.ts';
import type { FeedKind } from '../feed-kind.ts';
import { listenGrpc } from './grpc.ts';
import { listenHttp } from './http.ts';
import { otlpPlanSchema } from './plan.ts';
import { Receiver } from './receiver.ts';

/**
 * An OTLP receiver (opentelemetry.io/docs/specs/otlp): gRPC, and HTTP with protobuf or JSON, for any SDK or collector.
 * The same HTTP address takes Prometheus remote write. If data cannot be stored now, it answers RESOURCE_EXHAUSTED, 429 or 503,
 * so that the sender waits and retries.
 */
export const otlpFeed: FeedKind<typeof otlpPlanSchema> = {
  kind: 'otlp',
  plan: otlpPlanSchema,
  open: ({ name, grpc, http }): Feed => {
    const listening: string[] = [];
    return {
      name,
      format: 'otlp-live',
      stampedBy: 'sender',
      get about() {
        return listening.join(', ');
      },
      async run(sink, signal) {
        const receiver = new Receiver(name, sink);
        const closing: (() => Promise<void>)[] = [];
        try {
          if (grpc !== null) {
            const { address, close } = await listenGrpc(grpc, receiver).catch(refused('grpc', grpc));
            closing.push(close);
            listening.push(`grpc ${address}`);
          }
          if (http !== null) {
            const { address, close } = await listenHttp(http, receiver).catch(refused('http', http));
            closing.push(close);
            listening.push(`http ${address}`);
          }
          sink.reportState('up', 'listening');
          if (!signal.aborted)
            await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        } finally {
          // Senders of requests in progress get their receipts before the connection ends.
          await receiver.close();
          await Promise.all(closing.map((close) => close()));
        }
      },
    };
  },
  async *test({ grpc, http }) {
    const places = [
      ['gRPC', grpc],
      ['HTTP', http],
    ] as const;
    if (grpc === null && http === null)
      yield failed('port', 'it has no address to listen at', 'set an address for grpc or http');
    for (const [protocol, address] of places) {
      if (address === null) continue;
      const check = await checkListening(protocol, address);
      yield check;
      if (!check.passed) return;
    }
  },
};

/** Usually the port is in use. */
const refused =
  (protocol: string, address: string) =>
  (error: unknown): never => {
    if (error instanceof ProblemError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const taken = /EADDRINUSE|No address added/.test(message);
    return fail('feed.cannot_listen', `cannot listen for OTLP over ${protocol} on ${address}`, {
      hint: taken ? 'another process listens there: stop it, or choose another port' : message,
      place: address,
    });
  };
