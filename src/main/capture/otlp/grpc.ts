import {
  Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import type { Receiver } from './receiver.ts';
import { responseProtobuf } from './responses.ts';

/** Of a message, unpacked: the library unpacks it by itself. Collectors take a quarter of it unless told otherwise. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Calls whose messages come in, and are unpacked, at one time. */
const MOST_AT_ONCE = 16;

type Call = ServerUnaryCall<Buffer, Buffer>;
type Answer = sendUnaryData<Buffer>;

const paths = [
  '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
  '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
] as const;

/** Messages stay bytes: the decoder of files reads them. */
const bytes = { serialize: (value: Buffer) => value, deserialize: (value: Buffer) => value };

const WAIT = 'rows wait to be written: send it again';
const RETRY_AFTER_S = 1;

/** By the specification a sender tries again after RESOURCE_EXHAUSTED only if it is told when: google.rpc.RetryInfo. */
function later(): { readonly code: status; readonly details: string; readonly metadata: Metadata } {
  const metadata = new Metadata();
  const delay = field(1, Buffer.from([0x08, RETRY_AFTER_S]));
  const info = Buffer.concat([field(1, Buffer.from('type.googleapis.com/google.rpc.RetryInfo')), field(2, delay)]);
  const told = Buffer.concat([
    Buffer.from([0x08, status.RESOURCE_EXHAUSTED]),
    field(2, Buffer.from(WAIT)),
    field(3, info),
  ]);
  metadata.set('grpc-status-details-bin', told);
  return { code: status.RESOURCE_EXHAUSTED, details: WAIT, metadata };
}

/** A field of bytes, shorter than 128. */
const field = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);

/** OTLP/gRPC without TLS, for loopback and networks that are one's own. */
export async function listenGrpc(
  where: string,
  receiver: Receiver,
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const server = new Server({ 'grpc.max_receive_message_length': MOST_BYTES, interceptors: [turnAway(receiver)] });
  const take = async (call: Call, answer: Answer): Promise<void> => {
    const admission = receiver.admit();
    if (!admission?.grow(call.request.length)) {
      admission?.release();
      return answer(later());
    }
    try {
      const bytes = new Uint8Array(call.request);
      const receipt = await receiver.receive({ bytes, encoding: 'protobuf', packing: 'identity' });
      if (receipt.kind === 'full') answer(later());
      else if (receipt.kind === 'refused') answer({ code: status.INVALID_ARGUMENT, details: receipt.why });
      else answer(null, responseProtobuf(receipt));
    } finally {
      admission.release();
    }
  };
  for (const path of paths)
    server.addService(
      {
        Export: {
          path,
          requestStream: false,
          responseStream: false,
          requestSerialize: bytes.serialize,
          requestDeserialize: bytes.deserialize,
          responseSerialize: bytes.serialize,
          responseDeserialize: bytes.deserialize,
        },
      },
      { Export: (call: Call, answer: Answer) => void take(call, answer) },
    );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(where, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return {
    address: `${where.slice(0, where.lastIndexOf(':'))}:${port}`,
    close: async () => server.forceShutdown(),
  };
}

/** Refuses calls before their message has come in, where there is no room for it. */
function turnAway(receiver: Receiver): ServerInterceptor {
  let open = 0;
  return (_, call) => {
    let isOpen = true;
    open++;
    const leave = () => {
      if (isOpen) open--;
      isOpen = false;
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, proceed) => {
            if (open <= MOST_AT_ONCE && receiver.hasRoom) return proceed(metadata);
            leave();
            call.sendStatus(later());
          },
          onReceiveHalfClose: (proceed) => {
            leave();
            proceed();
          },
          onCancel: leave,
        }),
    });
  };
}
