// Not from 'node:fs/promises': Electron patches this object so that it reads inside app.asar.
import { promises as fs } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { messages } from './messages.ts';
import { securityHeaders } from './security.ts';

/** The files of a renderer build; all others (maps, sources, archives) are not served. */
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.json', 'application/json'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.ico', 'image/x-icon'],
  ['.woff', 'font/woff'],
  ['.woff2', 'font/woff2'],
  ['.wasm', 'application/wasm'],
]);

interface Asset {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Answers for a URL path, encoded or not, such as `/index.html`; never throws. */
export type AssetServer = (method: string, pathname: string) => Promise<Asset>;

const answer = (status: number, type: string, body: Uint8Array<ArrayBuffer>): Asset => ({
  status,
  headers: { ...securityHeaders(), 'content-type': type },
  body,
});

const refuse = (status: number, reason: string): Asset =>
  answer(status, 'text/plain; charset=utf-8', new TextEncoder().encode(reason));

function decodePath(pathname: string): string | null {
  try {
    const path = decodeURIComponent(pathname);
    return path.startsWith('/') && !path.includes('\0') && !path.includes('\\') ? path : null;
  } catch {
    return null;
  }
}

/** Serves one folder, read-only, and no file outside it: by `app://` in Electron, by HTTP in the web host. */
export function createAssetServer(root: string): AssetServer {
  return async (method, pathname) => {
    if (method !== 'GET' && method !== 'HEAD') return refuse(405, messages.web.badMethod);
    const path = decodePath(pathname);
    if (path === null) return refuse(400, messages.web.badPath);
    try {
      // Real paths on both sides, so that neither `..` nor a symbolic link leads out.
      const base = await fs.realpath(root);
      const real = await fs.realpath(join(base, path === '/' ? 'index.html' : path));
      const type = MEDIA_TYPES.get(extname(real).toLowerCase());
      if (!real.startsWith(base + sep) || type === undefined) return refuse(404, messages.web.notFound);
      const content = await fs.readFile(real);
      return answer(200, type, method === 'HEAD' ? new Uint8Array() : new Uint8Array(content));
    } catch {
      return refuse(404, messages.web.notFound);
    }
  };
}
