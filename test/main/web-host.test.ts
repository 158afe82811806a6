import { stat } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createFileHandles } from '../../src/main/hosts/file-handles.ts';
import { startWebHost, type WebHost } from '../../src/main/hosts/web.ts';
import type { Api } from '../../src/model/contract/index.ts';

let host: WebHost;
let token = '';
const files = createFileHandles();

beforeAll(async () => {
  const api = new Proxy({}, { get: () => async () => ({ name: 'Faultline' }) }) as unknown as Api;
  host = await startWebHost({ api, files, rendererDir: join(import.meta.dirname, '../../out/renderer'), port: 0 });
  token = new URL(host.url).searchParams.get('token') ?? '';
  hostToken = String((await fetchPath(`/?token=${token}`)).headers['set-cookie']).split(';')[0] ?? '';
});
afterAll(() => host.close());

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

function fetchPath(path: string, headers: Record<string, string> = {}, method = 'GET', body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port: host.port, path, method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    call.on('error', reject);
    call.end(body);
  });
}

let hostToken = '';
const cookie = (): Record<string, string> => ({ cookie: hostToken });
const origin = (): Record<string, string> => ({ origin: `http://127.0.0.1:${host.port}` });

test('the token becomes an HttpOnly cookie and leaves the address bar', async () => {
  const { status, headers } = await fetchPath(`/?token=${token}`);
  expect([status, headers.location, headers['cache-control']]).toEqual([303, '/', 'no-store']);
  expect(String(headers['set-cookie'])).toMatch(/^faultline_\d+=.+; HttpOnly; SameSite=Strict; Path=\/$/);
});

test('without the cookie, or with a wrong one, nothing is served', async () => {
  expect((await fetchPath('/')).status).toBe(401);
  expect((await fetchPath('/?token=wrong')).status).toBe(401);
  expect((await fetchPath('/', { cookie: `faultline_${host.port}=wrong` })).status).toBe(401);
  const [, value = ''] = hostToken.split('=');
  expect((await fetchPath('/', { cookie: `faultline_${host.port + 1}=${value}` })).status).toBe(401);
  // The address that was printed is no cookie, and the cookie no address.
  expect((await fetchPath('/', { cookie: `faultline_${host.port}=${token}` })).status).toBe(401);
  expect((await fetchPath(`/?token=${value}`)).status).toBe(401);
});

test('a link on a page of another site asks once more for itself, with what is known of it alone', async () => {
  const fromElsewhere = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  const path = `/?case=${encodeURIComponent('a"><script>&b')}&time=2026-05-01T14:00:00Z&evil=1`;
  const { status, body, headers } = await fetchPath(path, fromElsewhere);
  expect([status, headers['set-cookie']]).toEqual([200, undefined]);
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(body).toBe(
    '<!doctype html><title>Faultline</title><link rel="icon" href="data:,"><meta http-equiv="refresh" content="0; url=/?case=a%22%3E%3Cscript%3E%26b&amp;time=2026-05-01T14%3A00%3A00Z">\n',
  );
  // Nothing else is answered, and not in a frame.
  expect((await fetchPath('/index.html', fromElsewhere)).status).toBe(401);
  expect((await fetchPath('/', { ...fromElsewhere, 'sec-fetch-dest': 'iframe' })).status).toBe(401);
  expect((await fetchPath('/', { ...fromElsewhere, host: 'evil.example' })).status).toBe(421);
});

test('another Host name is refused even with the cookie: DNS rebinding', async () => {
  expect((await fetchPath('/', { ...cookie(), host: 'evil.example' })).status).toBe(421);
  expect((await fetchPath(`/?token=${token}`, { host: `localhost:${host.port}` })).status).toBe(421);
});

test.each(['http://[', '//', '//evil.example/', '*', '?token=x', '/%ff', 'http://127.0.0.1/'])(
  'what is no path of this host is a bad request, before and after logging in: %s',
  async (path) => {
    for (const headers of [cookie(), {}]) {
      const line = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nCookie: ${headers['cookie'] ?? 'none'}\r\nConnection: close\r\n\r\n`;
      const socket = connect(host.port, '127.0.0.1');
      socket.end(line);
      let text = '';
      for await (const chunk of socket) text += chunk;
      const isKnown = path === '/%ff' && headers['cookie'] === undefined;
      expect(text.split('\r\n')[0]).toBe(`HTTP/1.1 ${isKnown ? '401 Unauthorized' : '400 Bad Request'}`);
    }
    expect((await fetchPath('/', cookie())).status).toBe(200);
  },
);

test('the page comes with the strict policy and cannot lead out of its folder', async () => {
  const { status, headers, body } = await fetchPath('/', cookie());
  expect(status).toBe(200);
  expect(body).toContain('<title>Faultline');
  expect(String(headers['content-security-policy'])).not.toMatch(/unsafe-inline|'unsafe-eval'/);
  for (const path of ['/../package.json', '/%2e%2e/main/cli.js', '/..%2fmain%2fcli.js', '/assets/../../main/cli.js']) {
    expect((await fetchPath(path, cookie())).status).toBe(404);
  }
});

test('uploads need the origin of the page; the name of a file cannot choose its place', async () => {
  expect((await fetchPath('/upload?name=x.json', cookie(), 'POST', '{}')).status).toBe(403);
  expect(
    (await fetchPath('/upload?name=x.json', { ...cookie(), origin: 'http://evil.example' }, 'POST', '{}')).status,
  ).toBe(403);
  const { status, body } = await fetchPath(
    '/upload?name=..%2F..%2Fetc%2Fpasswd',
    { ...cookie(), ...origin() },
    'POST',
    '{"events":[]}',
  );
  const handle = JSON.parse(body);
  expect([status, handle.name, handle.bytes]).toEqual([200, 'passwd', 13]);
  expect(files.path(handle.handle)).toContain('faultline-');
});

test('files of a folder keep their places in it and their age, and no path leads out of it', async () => {
  const upload = async (path: string, more = '') => {
    const address = `/upload?name=x&group=0123abcd-0000&path=${encodeURIComponent(path)}${more}`;
    const { status, body } = await fetchPath(address, { ...cookie(), ...origin() }, 'POST', 'text');
    return { status, place: files.path(JSON.parse(body).handle) };
  };
  const first = await upload('rack 14/a/b.txt', '&modified=1767225600000');
  const second = await upload('rack 14/c.txt');
  expect(second.place).toBe(first.place);
  expect(basename(first.place)).toBe('rack 14');
  expect((await stat(join(first.place, 'a/b.txt'))).mtimeMs).toBe(1_767_225_600_000);
  const hostile = await upload('../../../../etc/cron.d/x', '&modified=-1e400');
  expect(hostile.status).toBe(200);
  expect(hostile.place.startsWith(dirname(first.place))).toBe(true);
});

test('a folder that lies too deep is refused, because a shortened path would be another file', async () => {
  const place = (depth: number) => `/upload?group=0123456789abcdef&path=${'d%2F'.repeat(depth)}x.json`;
  const send = (depth: number) => fetchPath(place(depth), { ...cookie(), ...origin() }, 'POST', '{}');
  expect((await send(23)).status).toBe(200);
  expect((await send(24)).status).toBe(400);
});

test.each([
  ['no cookie', {}],
  ['no origin', { cookie: true }],
  ['a foreign origin', { cookie: true, origin: 'http://evil.example' }],
])('the socket refuses %s', async (_what, wanted: { cookie?: boolean; origin?: string }) => {
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}/ws`, {
    headers: { ...(wanted.cookie ? cookie() : {}), ...(wanted.origin ? { origin: wanted.origin } : {}) },
  });
  const refused = await new Promise((resolve) => {
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    socket.on('error', () => resolve('error'));
    socket.on('open', () => resolve('open'));
  });
  expect(refused).not.toBe('open');
});

test('the socket opens for the page itself, and it listens on loopback only', async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}/ws`, { headers: { ...cookie(), ...origin() } });
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  socket.terminate();
  expect(new URL(host.url).hostname).toBe('127.0.0.1');
});
