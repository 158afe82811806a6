import { expect } from 'vitest';
import { type Check, importSecurity } from './check.ts';

/** Addresses that a prefix test, a careless parser or a case-folding host would let through. */
export const FOREIGN_URLS = [
  'https://evil.example/',
  'http://bundle/',
  'https://bundle/index.html',
  'file:///etc/passwd',
  'app://other/index.html',
  'app://bundle.evil.example/',
  'app://bundle@evil.example/',
  'app://evil@bundle/',
  'app://:secret@bundle/',
  'app://bundle:8080/',
  'app:bundle/index.html',
  'apps://bundle/',
  'javascript:alert(1)',
  'data:text/html,x',
  'blob:app://bundle/1',
  'about:blank',
  'about:srcdoc',
  '',
];

export const HOSTILE_FRAMES = [
  null,
  { url: 'https://evil.example/', parent: null },
  { url: 'app://bundle/index.html', parent: {} },
  { url: 'app://bundle@evil.example/', parent: null },
  { url: 'app://bundle.evil.example/', parent: null },
  { url: 'about:blank', parent: null },
];

const SOUND_LINKS: readonly (readonly [string, string])[] = [
  [
    'faultline://open?case=night%20shift&entity=pdu:PDU-B&time=2026-05-01T14:25:00Z',
    '?case=night+shift&entity=pdu%3APDU-B&time=2026-05-01T14%3A25%3A00Z',
  ],
  ['FAULTLINE://open/?view=causes', '?view=causes'],
  ['faultline://open#timeline?case=demo&from=1&until=2', '#timeline?case=demo&from=1&until=2'],
  ['faultline:#causes', '#causes'],
  ['faultline://open#gpus?entity=gpu:a&entity=gpu:b', '#gpus?entity=gpu%3Aa&entity=gpu%3Ab'],
];

/** Other hosts, paths, credentials, unknown or repeated parts, values out of form, texts that turn what is around them, and too much. */
export const HOSTILE_LINKS = [
  'faultline:',
  'faultline://open',
  'faultline://open?',
  'faultline://run?case=demo',
  'faultline://open.evil.example?case=demo',
  'faultline://me@open?case=demo',
  'faultline://open:80?case=demo',
  'faultline://open/etc/passwd?case=demo',
  'faultline:///etc/passwd',
  'faultline:/a.flb?view=causes',
  'https://open?case=demo',
  'file:///cases/a.flb',
  'javascript:alert(1)',
  'faultline://open?case=../../etc/passwd',
  'faultline://open?case=C:%5Cx.flb',
  'faultline://open?case=a%0Ab',
  'faultline://open?case=%E2%80%AEomed',
  'faultline://open?case=',
  'faultline://open?case=demo&handle=1',
  'faultline://open?case=demo&sql=select',
  'faultline://open?__proto__=x',
  'faultline://open?constructor=x',
  'faultline://open?case=demo&case=other',
  'faultline://open?view=<img>',
  'faultline://open?incident=a%20b',
  'faultline://open?entity=nothing',
  'faultline://open?time=soon;rm',
  'faultline://open?case=demo#timeline',
  'faultline://open#Timeline',
  'faultline://open#timeline?from=soon',
  'faultline://open#timeline?sql=select',
  `faultline://open?case=${'x'.repeat(300)}`,
  `faultline://open#gpus?${'entity=gpu:a&'.repeat(101)}`,
  `faultline://open#gpus?${`entity=gpu:${'a'.repeat(80)}&`.repeat(60)}`,
  '',
];

export const policyChecks: readonly Check[] = [
  {
    name: 'knows its own addresses from all others',
    run: async (subject) => {
      const { isAppUrl, isTrustedSender } = await importSecurity(subject);
      for (const url of ['app://bundle/', 'app://bundle/index.html?x=1#y']) expect(isAppUrl(url), url).toBe(true);
      for (const url of FOREIGN_URLS) expect(isAppUrl(url), url).toBe(false);
      expect(isTrustedSender({ url: 'app://bundle/index.html', parent: null })).toBe(true);
      for (const frame of HOSTILE_FRAMES) expect(isTrustedSender(frame), JSON.stringify(frame)).toBe(false);
    },
  },
  {
    name: 'takes from its arguments one case or bundle by an absolute path',
    run: async (subject) => {
      const { openedPath } = await importSecurity(subject);
      expect(openedPath(['--no-sandbox', '/cases/night.FLB'])).toBe('/cases/night.FLB');
      expect(openedPath(['/cases/a.flb', '/cases/b.faultline'])).toBe('/cases/b.faultline');
      expect(openedPath(['file:///cases/one%20night.flb'])).toBe('/cases/one night.flb');
      for (const one of [
        'night.flb',
        '--x=/a.flb',
        'file://host/a.flb',
        'file:///a%2Fb.flb',
        'file:///etc/passwd',
        '/etc/passwd',
        '/a.flb/../b',
        'faultline://a.flb',
        '',
      ])
        expect(openedPath([one]), one).toBeNull();
    },
  },
  {
    name: 'reads a link as a place in a case, written anew from its parts, and refuses any other',
    run: async (subject) => {
      const { linkIn, readAppLink } = await importSecurity(subject);
      for (const [link, place] of SOUND_LINKS) expect(readAppLink(link), link).toBe(place);
      for (const link of HOSTILE_LINKS) expect(readAppLink(link), link).toBeNull();
      expect(linkIn(['--x', 'faultline://open?view=a', 'FAULTLINE://open?view=b', '/a.flb'])).toBe(
        'FAULTLINE://open?view=b',
      );
      expect(linkIn(['--x=faultline://open', 'https://evil.example/', ''])).toBeNull();
    },
  },
  {
    name: 'sends one strict content security policy',
    run: async (subject) => {
      const { securityHeaders } = await importSecurity(subject);
      const csp = securityHeaders()['content-security-policy'] ?? '';
      const directives = Object.fromEntries(csp.split('; ').map((directive) => directive.split(/ (.*)/s).slice(0, 2)));
      expect(directives).toEqual({
        'default-src': "'none'",
        'script-src': "'self' 'wasm-unsafe-eval'",
        'style-src': "'self'",
        'img-src': "'self' data: blob:",
        'font-src': "'self'",
        'connect-src': "'self'",
        'worker-src': "'self'",
        'object-src': "'none'",
        'frame-src': "'none'",
        'base-uri': "'none'",
        'form-action': "'none'",
        'frame-ancestors': "'none'",
      });
      expect(csp).not.toMatch(/'unsafe-|\*|https?:/);
      expect(securityHeaders()).toEqual({
        'content-security-policy': csp,
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': expect.stringContaining('usb=()'),
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
    },
  },
  {
    name: 'lets only known links out to the browser',
    run: async (subject) => {
      const { isAllowedExternal } = await importSecurity(subject);
      expect(isAllowedExternal('https://docs.nvidia.com/deploy/xid-errors/')).toBe(true);
      const refused = [
        'http://docs.nvidia.com/',
        'https://docs.nvidia.com.evil.example/',
        'https://evil.example/',
        'https://user@docs.nvidia.com/',
        'https://:secret@docs.nvidia.com/',
        'https://docs.nvidia.com:8443/',
        'file:///etc/passwd',
        'mailto:a@b',
        'smb://host/share',
        'x',
      ];
      for (const url of refused) expect(isAllowedExternal(url), url).toBe(false);
    },
  },
  {
    name: 'suggests only plain file names',
    run: async (subject) => {
      const { safeFileName } = await importSecurity(subject);
      expect(safeFileName('Incident 2026-01-02 (PDU-B).md')).toBe('Incident 2026-01-02 (PDU-B).md');
      expect(safeFileName('Ausfall_Größe.md')).toBe('Ausfall_Größe.md');
      for (const name of ['../../.bashrc', '/etc/passwd', 'C:\\x', '..', '.hidden', 'a\0b', '\n', '']) {
        const safe = safeFileName(name);
        expect(safe, name).toMatch(/^[\p{L}\p{N}_(-][\p{L}\p{N} ._()-]*$/u);
      }
      expect(safeFileName('x'.repeat(1000))).toHaveLength(120);
    },
  },
  {
    name: 'takes from a port what its own client sends, and nothing else',
    run: async (subject) => {
      const { isClientMessage } = await importSecurity(subject);
      const call = { i: '1', p: { u: '/app.info', b: { json: { a: 1 }, meta: [[0, 'a']] } } };
      const good = [
        call,
        { i: '2', p: { u: '/app.info', b: {} } },
        { i: '3', p: { u: '/app.info' } },
        { i: '1', t: 4 },
      ];
      for (const message of good) expect(isClientMessage(JSON.stringify(message)), JSON.stringify(message)).toBe(true);
      const bad = [
        { ...call, p: { ...call.p, u: 'http://evil.example/app.info' } },
        { ...call, p: { ...call.p, h: { 'content-type': 'multipart/form-data' } } },
        { ...call, p: { ...call.p, m: 'GET' } },
        { ...call, p: { ...call.p, u: `/${'x'.repeat(300)}` } },
        { ...call, p: { ...call.p, b: { json: 1, maps: [[]] } } },
        { ...call, p: { ...call.p, b: { json: 1, meta: 'x' } } },
        { ...call, i: 7 },
        { ...call, t: 1 },
        { i: '1', t: 3, p: { e: 'message' } },
        { i: '1', t: 4, p: {} },
        { i: '1' },
        [],
        null,
      ];
      for (const message of bad) expect(isClientMessage(JSON.stringify(message)), JSON.stringify(message)).toBe(false);
      for (const data of [call, undefined, 7, new Uint8Array(4), '{', '']) expect(isClientMessage(data)).toBe(false);
    },
  },
];
