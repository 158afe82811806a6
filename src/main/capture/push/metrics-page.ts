import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fail } from '../../../model/problem.ts';

const SLOWEST_MS = 10_000;
/** prometheus.io/docs/instrumenting/exposition_formats, text format. */
const TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** `GET /metrics`, as a Prometheus server scrapes it. */
export class MetricsPage {
  private readonly listen: string;
  private server: Server | undefined;
  private text = '';

  constructor(listen: string) {
    this.listen = listen;
  }

  show(text: string): void {
    this.text = text;
  }

  /** @throws ProblemError push.cannot_listen */
  async open(): Promise<string> {
    const at = this.listen.lastIndexOf(':');
    const server = createServer({ requestTimeout: SLOWEST_MS }, (request, response) => {
      const isPage = request.method === 'GET' && request.url?.split('?')[0] === '/metrics';
      response.writeHead(isPage ? 200 : 404, { 'content-type': TYPE }).end(isPage ? this.text : 'GET /metrics\n');
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(Number(this.listen.slice(at + 1)), this.listen.slice(0, at).replace(/^\[|\]$/g, ''), resolve);
    }).catch((error: NodeJS.ErrnoException) =>
      fail('push.cannot_listen', `metrics cannot be offered on ${this.listen} (${error.code})`, {
        hint: 'choose another port; port 0 takes a free one',
      }),
    );
    this.server = server;
    const { address, port, family } = server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`;
  }

  async close(): Promise<void> {
    const { server } = this;
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }
}
