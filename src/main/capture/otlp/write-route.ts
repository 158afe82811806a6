import type { IncomingHttpHeaders } from 'node:http';
import type { Receipt } from './messages.ts';
import type { Reply, Route } from './route.ts';

/** Messages by the parameter `proto` of the content type; without one it is version 1. */
const messages: readonly string[] = ['', 'prometheus.WriteRequest', 'io.prometheus.write.v2.Request'];

/**
 * Prometheus remote write, 1.0 and 2.0 (https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/): `POST /api/v1/write`.
 * Senders retry 5xx and give up data at 4xx, 429 included unless they are configured otherwise: where there is no room they get 503.
 */
export function writeRoute(headers: IncomingHttpHeaders): Route | Reply {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim());
  const proto = parameters.find((one) => /^proto=/i.test(one))?.slice('proto='.length) ?? '';
  if (type.toLowerCase() !== 'application/x-protobuf' || !messages.includes(proto))
    return { status: 415, text: 'the content type is application/x-protobuf, of remote write 1.0 or 2.0' };
  if ((headers['content-encoding'] ?? 'snappy').toLowerCase() !== 'snappy')
    return { status: 415, text: 'the content encoding is snappy' };
  return { encoding: 'remote-write', packing: 'snappy', busy: 503, replyTo };
}

function replyTo(receipt: Exclude<Receipt, { readonly kind: 'full' }>): Reply {
  if (receipt.kind === 'refused') return { status: 400, text: receipt.why };
  const { samples = 0, histograms = 0, exemplars = 0 } = receipt.written ?? {};
  const headers = {
    'X-Prometheus-Remote-Write-Samples-Written': String(samples),
    'X-Prometheus-Remote-Write-Histograms-Written': String(histograms),
    'X-Prometheus-Remote-Write-Exemplars-Written': String(exemplars),
  };
  // What is left out is no better when it is sent again.
  return receipt.rejected > 0
    ? { status: 400, text: `${receipt.rejected} series were left out: ${receipt.why}`, headers }
    : { status: 204, headers };
}
