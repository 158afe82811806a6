import { fail, ProblemError } from '../../../model/problem.ts';
import type { Feed } from '../../../model/storage/feed.ts';
import { checkListening, failed } from '../connection-checks.ts';
import type { FeedKind } from '../feed-kind.ts';
import { listenGrpc } from './grpc.ts';
import { listenHttp } from './http.ts';
import { otlpPlanSchema } from './plan.ts';
import { Receiver } from './receiver.ts';

/**
 * An OTLP receiver (opentelemetry.io/docs/specs/otlp): gRPC, and HTTP with protobuf or JSON. Point any SDK or collector at
 * it. What cannot be kept is refused, so that the sender waits and tries again: RESOURCE_EXHAUSTED, or 429.
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
          // Who sent what is being read has its receipt before the connection ends.
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
    if (grpc === null && http === null) yield failed('port', 'it listens nowhere', 'give grpc or http an address');
    for (const [protocol, address] of places) {
      if (address === null) continue;
      const check = await checkListening(protocol, address);
      yield check;
      if (!check.passed) return;
    }
  },
};

/** A port that is taken is the usual reason. */
const refused =
  (protocol: string, address: string) =>
  (error: unknown): never => {
    if (error instanceof ProblemError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const taken = /EADDRINUSE|No address added/.test(message);
    return fail('feed.cannot_listen', `cannot listen for OTLP over ${protocol} on ${address}`, {
      hint: taken ? 'something else listens there: stop it, or choose another port' : message,
      place: address,
    });
  };
