import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

export interface CloudRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
export interface CloudReply {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delay_ms?: number;
}

/** A service on loopback that answers JSON. `asked` grows as it is asked. */
export async function cloudService(
  answer: (request: CloudRequest) => CloudReply,
  tls?: { readonly cert: string; readonly key: string },
): Promise<{ readonly url: string; readonly requests: CloudRequest[] }> {
  const requests: CloudRequest[] = [];
  const handle = async (request: IncomingMessage, response: import('node:http').ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    requests.push(one);
    const { status = 200, body: answerBody, headers = {}, delay_ms = 0 } = answer(one);
    if (delay_ms > 0) await new Promise((resolve) => setTimeout(resolve, delay_ms));
    const type = { 'content-type': typeof answerBody === 'string' ? 'text/plain' : 'application/json' };
    response
      .writeHead(status, { ...type, ...headers })
      .end(typeof answerBody === 'string' ? answerBody : JSON.stringify(answerBody));
  };
  const server = tls ? createSecureServer(tls, handle) : createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** While the tests of a file run every connection is looked at: none may leave this machine. */
export function expectOnlyLoopback(): void {
  const seen = new Set<string>();
  const { connect } = Socket.prototype;
  beforeAll(() => {
    Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
      const [first] = (Array.isArray(args[0]) ? args[0] : args) as [{ host?: string; path?: string } | number];
      const host =
        typeof first === 'object' ? (first.path ?? first.host ?? 'localhost') : String(args[1] ?? 'localhost');
      seen.add(host);
      return connect.apply(this, args as Parameters<typeof connect>);
    } as typeof connect;
  });
  afterAll(() => {
    Socket.prototype.connect = connect;
    expect([...seen].filter((host) => !/^(127\.0\.0\.1|::1|localhost)$/.test(host))).toEqual([]);
    expect(seen.size).toBeGreaterThan(0);
  });
}

/** Sets what programs find in their environment, for the tests of a file; undefined: it is not there. */
export function environment(variables: Readonly<Record<string, string | undefined>>): void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  const set = (entries: Iterable<readonly [string, string | undefined]>) => {
    for (const [name, value] of entries)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
  beforeAll(() => set(Object.entries(variables)));
  afterAll(() => set(before));
}
