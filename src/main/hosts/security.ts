import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** Security policy of the hosts as values and pure functions, so that one plain test covers each rule. */
export const SCHEME = 'app';
const HOST = 'bundle';
export const ORIGIN = `${SCHEME}://${HOST}`;

/** Everything is forbidden unless it is listed. `wasm-unsafe-eval` compiles WebAssembly and no script. */
const CSP = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "object-src 'none'",
  "frame-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sent with every answer of every host, refusals included. */
export const securityHeaders = (): Record<string, string> => ({
  'content-security-policy': CSP,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), hid=(), microphone=(), serial=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
});

/** Compares parsed parts: a prefix test would accept `app://bundle.evil.example` and `app://bundle@evil.example`. */
export function isAppUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, host, username, password } = new URL(url);
  return protocol === `${SCHEME}:` && host === HOST && username === '' && password === '';
}

export interface SenderFrame {
  readonly url: string;
  readonly parent: object | null;
}

/** Only the top frame of our own page may send messages to main; a frame that is already gone is null. */
export const isTrustedSender = <F extends SenderFrame>(frame: F | null): frame is F =>
  frame !== null && frame.parent === null && isAppUrl(frame.url);

/** Sites that remediation texts link to; they open in the investigator's browser, never in a window of ours. */
const EXTERNAL_ORIGINS: ReadonlySet<string> = new Set(['https://docs.nvidia.com', 'https://opentelemetry.io']);

export function isAllowedExternal(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { origin, username, password } = new URL(url);
  return EXTERNAL_ORIGINS.has(origin) && username === '' && password === '';
}

/** The case or bundle that the system's file manager names at the start: an absolute path, so nothing that could be an option. */
export const openedPath = (args: readonly string[]): string | null =>
  args.map(localPath).findLast((one) => isAbsolute(one) && /\.(flb|faultline)$/i.test(one)) ?? null;

/** File managers of Linux name files by address; an address of another machine stays one, and is no path. */
function localPath(text: string): string {
  try {
    return /^file:\/\/\//i.test(text) ? fileURLToPath(text) : text;
  } catch {
    return text;
  }
}

/** Links that the system hands to the app: `faultline://open?case=night&entity=pdu:PDU-B&time=2026-05-01T14:25:00Z`. */
const LINK_SCHEME = 'faultline:';
const MAX_LINK = 4000;
const MOST_ENTITIES = 100;
// Names have neither control characters nor ones that change how the text around them is read.
const ENTITY = /^[a-z_]{1,40}:\P{C}{1,500}$/u;
const INCIDENT = /^[\w:.-]{1,200}$/;
/** A case is named, never its place. */
const CASE = /^[^\p{C}/\\]{1,200}$/u;
const linkParts: Readonly<Record<string, RegExp>> = {
  case: CASE,
  view: /^[a-z]{1,40}$/,
  incident: INCIDENT,
  entity: ENTITY,
  time: /^[\dTZ:.+-]{1,40}$/,
};
/** Of what *Copy link* writes. */
const placeParts: Readonly<Record<string, RegExp>> = {
  case: CASE,
  from: /^\d{1,19}$/,
  until: /^\d{1,19}$/,
  at: /^\d{1,19}$/,
  incident: INCIDENT,
  record: /^\P{C}{1,500}$/u,
  entity: ENTITY,
};

/** The last link among the arguments of a start, whether sound or not; null: none. */
export const linkIn = (args: readonly string[]): string | null =>
  args.findLast((one) => /^faultline:/i.test(one)) ?? null;

/**
 * What a page of anybody may ask of the app: to show a place in a case. Everything that is no name of a part, or no value of its form,
 * refuses the whole link.
 * @returns the place, written anew from its parts as `?case=...` or `#view?case=...`; null: it is refused
 */
export function readAppLink(link: string): string | null {
  if (link.length > MAX_LINK || !URL.canParse(link)) return null;
  const { protocol, host, pathname, username, password, search, hash } = new URL(link);
  const isPlace = (host === 'open' || host === '') && (pathname === '' || pathname === '/');
  if (protocol !== LINK_SCHEME || !isPlace || username !== '' || password !== '') return null;
  const [, view, rest = ''] = /^#([a-z]{1,40})(?:\?(.*))?$/.exec(hash) ?? [];
  if ((search !== '') === (hash !== '') || (hash !== '' && view === undefined)) return null;
  const parts = checkedParts(search === '' ? rest : search, search === '' ? placeParts : linkParts);
  if (parts === null) return null;
  return search === '' ? `#${view}${parts.size > 0 ? `?${parts}` : ''}` : `?${parts}`;
}

/** The parts as they are, each once but entities; null: one is unknown, or not of its form. */
function checkedParts(query: string, forms: Readonly<Record<string, RegExp>>): URLSearchParams | null {
  const parts = new URLSearchParams(query);
  const isSound = ([name, value]: readonly [string, string]): boolean =>
    Object.hasOwn(forms, name) &&
    forms[name]!.test(value) &&
    (parts.getAll(name).length === 1 || (name === 'entity' && forms === placeParts && parts.size <= MOST_ENTITIES));
  return [...parts].every(isSound) ? parts : null;
}

const MAX_FILE_NAME = 120;

/** Makes a name that the page suggests safe: no folder, no hidden file, no character that a shell or dialog would misread. */
export function safeFileName(suggested: string): string {
  const name = suggested.replaceAll(/[^\p{L}\p{N} ._()-]/gu, '_').replace(/^[ .]+/, '');
  return name.slice(0, MAX_FILE_NAME) || 'faultline.txt';
}

/** A window may save texts of up to 64 M characters; escaping can double the length of plain text. */
const MAX_MESSAGE = 160_000_000;
const messageId = z.string().min(1).max(32);
const body = z.strictObject({
  json: z.unknown().optional(),
  meta: z.array(z.array(z.union([z.string(), z.number()])).min(1)).optional(),
});
const requestSchema = z.strictObject({
  i: messageId,
  p: z.strictObject({ u: z.string().startsWith('/').max(200), b: body.optional() }),
});
const ABORT = 4;
const abortSchema = z.strictObject({ i: messageId, t: z.literal(ABORT) });
const messageSchema = z.union([requestSchema, abortSchema]);

/**
 * Accepts only what our own client sends: a call, or its cancellation, as JSON text. The RPC library decodes more (raw
 * objects, multipart, absolute URLs, client streams), and its rejection of bad input is an error that no code catches.
 */
export function isClientMessage(data: unknown): data is string {
  if (typeof data !== 'string' || data.length > MAX_MESSAGE) return false;
  try {
    return messageSchema.safeParse(JSON.parse(data)).success;
  } catch {
    return false;
  }
}
