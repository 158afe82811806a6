import type { IncomingHttpHeaders } from 'node:http';
import type { Encoding } from './messages.ts';
import { responseJson, responseProtobuf, type Signal } from './responses.ts';
import type { Reply, Route } from './route.ts';
import { isPacking } from './unpack.ts';

/** OTLP over HTTP: `POST /v1/traces`, `/v1/metrics`, `/v1/logs`. */
export function otlpRoute(signal: Signal, headers: IncomingHttpHeaders): Route | Reply {
  const encoding = encodingOf(headers['content-type']);
  if (encoding === null) return { status: 415, text: 'the content type is application/x-protobuf or application/json' };
  const packing = headers['content-encoding'] ?? 'identity';
  if (!isPacking(packing)) return { status: 415, text: 'the content encoding is gzip, zstd, deflate, br or none' };
  return {
    encoding,
    packing,
    busy: 429,
    replyTo: (receipt) => {
      if (receipt.kind === 'refused') return { status: 400, text: receipt.why };
      const isJson = encoding === 'json';
      return {
        status: 200,
        headers: { 'content-type': isJson ? 'application/json' : 'application/x-protobuf' },
        text: isJson ? responseJson(signal, receipt) : responseProtobuf(receipt),
      };
    },
  };
}

function encodingOf(type: string | undefined): Exclude<Encoding, 'remote-write'> | null {
  const plain = (type ?? '').split(';')[0]?.trim().toLowerCase();
  if (plain === 'application/x-protobuf') return 'protobuf';
  return plain === 'application/json' ? 'json' : null;
}
