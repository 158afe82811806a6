import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { makeRendererDir } from '../harness.ts';
import { type Check, importAssets, importSecurity } from './check.ts';

/** Every way out of a folder that we know of, at two depths. */
const ESCAPES = [
  '..',
  '..%2f',
  '%2e%2e/',
  '%2e%2e%2f',
  '..%5c',
  '..\\',
  '%2f..%2f',
  './/..//',
  '..;/',
  '%252e%252e%252f',
].flatMap((up) => [
  `/${up}${up.endsWith('/') || up.includes('%') ? '' : '/'}secret.json`,
  `/assets/${up}${up.endsWith('/') || up.includes('%') ? '' : '/'}${up}secret.json`,
]);

export const servingChecks: readonly Check[] = [
  {
    name: 'serves the files of a build with their types',
    run: async (subject) => {
      const { createAssetServer } = await importAssets(subject);
      const folder = join(makeRendererDir(), 'renderer');
      const types = {
        js: 'text/javascript',
        mjs: 'text/javascript',
        css: 'text/css',
        json: 'application/json',
        svg: 'image/svg+xml',
        png: 'image/png',
        woff2: 'font/woff2',
        wasm: 'application/wasm',
      };
      for (const extension of Object.keys(types)) writeFileSync(join(folder, `a b.${extension}`), extension);
      const serve = createAssetServer(folder);
      for (const [extension, type] of Object.entries(types)) {
        const asset = await serve('GET', `/a%20b.${extension}`);
        expect([asset.status, new TextDecoder().decode(asset.body)]).toEqual([200, extension]);
        expect(asset.headers['content-type']?.split(';')[0]).toBe(type);
      }
      expect((await serve('GET', '/')).headers['content-type']).toBe('text/html; charset=utf-8');
      expect(await serve('HEAD', '/index.html')).toMatchObject({ status: 200, body: new Uint8Array() });
    },
  },
  {
    name: 'serves nothing outside its folder',
    run: async (subject) => {
      const { createAssetServer } = await importAssets(subject);
      const parent = makeRendererDir();
      mkdirSync(join(parent, 'renderer-private'));
      writeFileSync(join(parent, 'renderer-private/secret.json'), '{"secret":true}');
      symlinkSync(join(parent, 'secret.json'), join(parent, 'renderer/link.json'));
      symlinkSync(parent, join(parent, 'renderer/up'));
      const serve = createAssetServer(join(parent, 'renderer'));
      const attacks = [
        ...ESCAPES,
        '/link.json',
        '/up/secret.json',
        '/..%2frenderer-private%2fsecret.json',
        join(parent, 'secret.json'),
        'secret.json',
        '../secret.json',
      ];
      for (const path of attacks) {
        const asset = await serve('GET', path);
        expect([400, 404], path).toContain(asset.status);
        expect(new TextDecoder().decode(asset.body), path).not.toContain('secret');
      }
    },
  },
  {
    name: 'refuses malformed paths, unknown types and other methods, with all headers',
    run: async (subject) => {
      const { createAssetServer } = await importAssets(subject);
      const { securityHeaders } = await importSecurity(subject);
      const serve = createAssetServer(join(makeRendererDir(), 'renderer'));
      const cases: [string, string, number][] = [
        ['GET', '/index.html%00.js', 400],
        ['GET', '/%', 400],
        ['GET', '/a\\b', 400],
        ['GET', '/a%5cb', 400],
        ['GET', '/missing.js', 404],
        ['GET', '/assets', 404],
        ['GET', '/assets/', 404],
        ['GET', '/assets/index.js.map', 404],
        ['POST', '/index.html', 405],
        ['PUT', '/index.html', 405],
        ['get', '/index.html', 405],
        ['GET', '/assets/index.js', 200],
      ];
      for (const [method, path, status] of cases) {
        const asset = await serve(method, path);
        expect([method, path, asset.status]).toEqual([method, path, status]);
        expect(asset.headers).toMatchObject(securityHeaders());
      }
    },
  },
  {
    name: 'answers app://bundle and no other host',
    run: async (subject) => {
      const { control } = await subject.boot();
      const get = async (url: string, method = 'GET') => {
        const response = await control.serve(url, method);
        return [response.status, response.headers.get('content-type')];
      };
      expect(await get('app://bundle/')).toEqual([200, 'text/html; charset=utf-8']);
      expect(await get('app://bundle/assets/index.js?v=1')).toEqual([200, 'text/javascript; charset=utf-8']);
      expect(await get('app://bundle/index.html', 'HEAD')).toEqual([200, 'text/html; charset=utf-8']);
      expect((await get('app://bundle/index.html', 'POST'))[0]).toBe(405);
      expect((await get('app://bundle/%2e%2e/secret.json'))[0]).toBe(404);
      expect((await get('app://bundle/..%2fsecret.json'))[0]).toBe(404);
      for (const url of ['app://evil/index.html', 'app://bundle.evil/index.html'])
        expect((await get(url))[0], url).toBe(404);
      const { headers } = await control.serve('app://bundle/', 'GET');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      const missing = await control.serve('app://bundle/missing', 'GET');
      expect([missing.status, missing.headers.get('content-security-policy')]).toEqual([
        404,
        headers.get('content-security-policy'),
      ]);
    },
  },
  {
    name: 'registers its scheme before ready, with the least privileges',
    run: async (subject) => {
      const { control } = await subject.boot();
      expect([...control.privileged]).toEqual([
        ['app', { standard: true, secure: true, supportFetchAPI: true, codeCache: true }],
      ]);
    },
  },
];
