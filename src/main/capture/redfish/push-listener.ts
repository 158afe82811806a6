import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { errorCode } from '../../../base/error-code.ts';
import { fail } from '../../../model/problem.ts';
import { isObject } from '../../sources/redfish/format.ts';
import type { RedfishPlan } from './plan.ts';
import { PushGate } from './push-gate.ts';

const MOST_BYTES = 4 * 1024 * 1024;
const MOST_CONNECTIONS = 64;
const PATIENCE_MS = 15_000;
const WAIT = 429;
const RETRY_S = 10;

export interface PushListener {
  /** Address for the controller, with a secret that only the controller gets. */
  readonly destination: string;
  readonly context: string;
  close(): Promise<void>;
}

/**
 * Listener for events of a controller. Others cannot deliver: the path contains a secret, and the body must have the
 * context of the subscription. Deliveries above the rate limit get status 429; too many wrong paths get no answer.
 *
 * @param refused called for each delivery that got 429: not every controller sends it again
 * @throws ProblemError feed.no_listener
 */
export async function listenForEvents(
  push: NonNullable<RedfishPlan['push']>,
  take: (doc: unknown, bytes: number) => boolean,
  refused: () => void = () => undefined,
): Promise<PushListener> {
  const place = `/faultline/${randomBytes(24).toString('hex')}`;
  const context = randomBytes(24).toString('hex');
  const endpoint: PushEndpoint = { place, context, take, gate: new PushGate() };
  const receive = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, endpoint).then(
      (status) => {
        if (status === null) return response.destroy();
        if (status === WAIT) refused();
        const more = status === WAIT ? { 'retry-after': String(RETRY_S) } : {};
        return response.writeHead(status, { connection: status < 300 ? 'keep-alive' : 'close', ...more }).end();
      },
      () => response.destroy(),
    );
  };
  const timeouts = { headersTimeout: PATIENCE_MS, requestTimeout: PATIENCE_MS };
  const { certificate, key } = push;
  const server =
    certificate === null || key === null
      ? createServer(timeouts, receive)
      : secured({ cert: await file(certificate), key: await file(key) }, (pair) =>
          createSecureServer({ ...timeouts, ...pair }, receive),
        );
  server.maxConnections = MOST_CONNECTIONS;
  const [, host = '', port = '0'] = /^(.*):(\d+)$/.exec(push.listen) ?? [];
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(port), host.replace(/^\[|\]$/g, ''), resolve);
  }).catch((error: NodeJS.ErrnoException) =>
    fail('feed.no_listener', `nothing can listen at ${push.listen} (${error.code ?? error.message})`, {
      hint: 'stop the other listener, or choose another address of this machine; port 0 takes a free one',
    }),
  );
  const scheme = certificate === null ? 'http' : 'https';
  const own = `${scheme}://${host}:${(server.address() as AddressInfo).port}`;
  return {
    destination: `${(push.destination ?? own).replace(/\/+$/, '')}${place}`,
    context,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const file = async (path: string): Promise<string> =>
  await readFile(path, 'utf8').catch(() =>
    fail('feed.no_listener', 'the certificate of the push listener cannot be read', {
      hint: 'certificate and key are PEM files that this user may read',
      place: path,
    }),
  );

/** A rejection by OpenSSL is a configuration error. @throws ProblemError feed.no_listener */
function secured<T>(pair: { readonly cert: string; readonly key: string }, create: (tls: typeof pair) => T): T {
  try {
    return create(pair);
  } catch (error) {
    const code = errorCode(error);
    if (typeof code !== 'string' || !code.startsWith('ERR_OSSL')) throw error;
    return fail('feed.no_listener', `the certificate of the push listener cannot be used (${code})`, {
      hint: 'certificate and key are PEM files, and belong together',
    });
  }
}

interface PushEndpoint {
  readonly place: string;
  readonly context: string;
  readonly gate: PushGate;
  take(doc: unknown, bytes: number): boolean;
}

/** @returns the response status; null: no response */
async function answer(request: IncomingMessage, { place, context, take, gate }: PushEndpoint): Promise<number | null> {
  if (!isSame(request.url ?? '', place)) return gate.unknownSender() ? 404 : null;
  if (request.method !== 'POST') return 405;
  if (!gate.delivery()) return WAIT;
  const body = await bodyOf(request, gate);
  if (typeof body === 'number') return body;
  const doc = parsed(body);
  if (!isObject(doc)) return 400;
  if (!isSame(String(doc['Context'] ?? ''), context)) return 403;
  return take(doc, body.length) ? 204 : 400;
}

/** @returns the body, or the status if it is refused */
async function bodyOf(request: IncomingMessage, gate: PushGate): Promise<Buffer | number> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      if (size + chunk.length > MOST_BYTES) return 413;
      if (!gate.piece(chunk.length)) return WAIT;
      size += chunk.length;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    gate.release(size);
  }
}

/** Compares in constant time. */
function isSame(tls: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(tls), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
