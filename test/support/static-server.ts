import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
};

export interface StaticServer {
  readonly origin: string;
  /** Paths that were asked for. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** As dumb as static hosting may be: files below folders by their paths, and no header but the type. */
export async function serveStatic(mounts: Readonly<Record<string, string>>): Promise<StaticServer> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    requests.push(path);
    const mount = Object.keys(mounts).find((one) => path.startsWith(one));
    const file = mount && join(mounts[mount]!, normalize(`/${path.slice(mount.length)}`));
    try {
      const found = file?.endsWith('/') ? join(file, 'index.html') : file!;
      const body = await readFile(found);
      response.writeHead(200, { 'content-type': types[extname(found)] ?? 'application/octet-stream' }).end(body);
    } catch {
      response.writeHead(404).end('not found');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
