import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
} from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import { withEither } from '../../../base/with-either.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import { bodyOf } from '../answer-body.ts';
import { waited } from '../steady-clock.ts';
import type { RedfishPlan } from './plan.ts';

/** The largest known responses, a metric report of a whole baseboard or an expanded log, are below 2 MB. */
const MOST_BYTES = 16 * 1024 * 1024;

export interface Sent {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With query, without host: always on the controller. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** By this machine's clock, milliseconds since 1970. */
  readonly sent_ms: number;
  readonly received_ms: number;
}

/** HTTP connections to one controller; the certificate is checked before any request is sent. */
export class Transport {
  private readonly url: URL;
  private readonly timeout_ms: number;
  private readonly agent: PlainAgent | SecureAgent;

  constructor(plan: RedfishPlan, mostSockets: number) {
    this.url = new URL(plan.url);
    this.timeout_ms = plan.timeout_s * 1000;
    this.agent = agentOf(plan, mostSockets);
  }

  close(): void {
    this.agent.destroy();
  }

  /** @throws ProblemError feed.timeout, feed.too_large; the system's errors of connections */
  async exchange(sent: Sent): Promise<Received> {
    const patience = AbortSignal.timeout(this.timeout_ms);
    const answered = waited();
    try {
      return await withEither([sent.signal, patience], async (signal) => {
        const answer = await this.begin({ ...sent, signal });
        const body = await contentOf(answer);
        const { from_ms: sent_ms, to_ms: received_ms } = answered();
        return { status: answer.statusCode ?? 0, headers: answer.headers, body, sent_ms, received_ms };
      });
    } catch (error) {
      if (patience.aborted && !sent.signal.aborted)
        throw new ProblemError({
          place: sent.path,
          code: 'feed.timeout',
          message: `it did not answer within ${this.timeout_ms / 1000} s`,
        });
      throw error;
    }
  }

  /** Starts a request; the body of the response is still to come. */
  begin({ method, path, headers, body, signal }: Sent): Promise<IncomingMessage> {
    const { protocol, hostname, port } = this.url;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = {
      agent: this.agent,
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? undefined : Number(port),
      method,
      path,
      headers: { ...headers, ...length },
      signal,
    };
    return new Promise((resolve, reject) => {
      const request = (protocol === 'https:' ? secureRequest : plainRequest)(options, resolve);
      request.once('error', reject);
      request.end(body);
    });
  }
}

function agentOf({ url, tls, fingerprint_sha256 }: RedfishPlan, maxSockets: number): PlainAgent | SecureAgent {
  const options = { keepAlive: true, maxSockets };
  if (!url.startsWith('https:')) return new PlainAgent(options);
  if (fingerprint_sha256) return new PinnedAgent(fingerprint_sha256, maxSockets);
  return new SecureAgent({ ...options, rejectUnauthorized: tls !== 'insecure' });
}

/** Uses a socket only after its certificate matched the fingerprint in the plan. */
class PinnedAgent extends SecureAgent {
  private readonly fingerprint: string;

  constructor(fingerprint: string, maxSockets: number) {
    // A resumed session would show no certificate.
    super({ keepAlive: true, maxSockets, maxCachedSessions: 0 });
    this.fingerprint = fingerprint;
  }

  override createConnection(
    options: ConnectionOptions,
    callback?: (error: Error | null, socket: TLSSocket) => void,
  ): undefined {
    const socket = connect({ ...options, rejectUnauthorized: false });
    socket.once('error', (error) => callback?.(error, socket));
    socket.once('secureConnect', () => {
      const found = fingerprintOf(socket);
      if (found === this.fingerprint) callback?.(null, socket);
      else socket.destroy(otherCertificate(found));
    });
    return undefined;
  }
}

const otherCertificate = (found: string) =>
  new ProblemError({ code: 'feed.other_certificate', message: `its certificate is not that of the plan: ${found}` });

/** SHA-256 of a server's certificate, 64 hexadecimal digits. */
export const fingerprintOf = (socket: TLSSocket): string =>
  (socket.getPeerCertificate().fingerprint256 ?? '').replaceAll(':', '').toLowerCase();

async function contentOf(answer: IncomingMessage): Promise<Buffer> {
  const body = await bodyOf(answer, MOST_BYTES);
  return await unpacked(body, answer.headers['content-encoding'] ?? '');
}

/** Some controllers compress without being asked to. */
async function unpacked(bytes: Buffer, encoding: string): Promise<Buffer> {
  const unpack = encoding === 'gzip' ? promisify(gunzip) : encoding === 'deflate' ? promisify(inflate) : undefined;
  if (!unpack || bytes.length === 0) return bytes;
  return await unpack(bytes, { maxOutputLength: MOST_BYTES }).catch(() =>
    fail('feed.garbage', `its answer cannot be unpacked from ${encoding}`),
  );
}
