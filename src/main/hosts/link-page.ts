import type { IncomingMessage } from 'node:http';

/** What a link to a place in a case may name. */
const LINKED = ['case', 'view', 'incident', 'entity', 'time'];

/**
 * For a link on a page of another site, such as a dashboard: the browser keeps the cookie of a session back (SameSite=Strict) until a page
 * of our own asks for the same. This page does, once, and names nothing but the place. null: the request is no such link.
 */
export function linkPage({ method, headers }: IncomingMessage, { pathname, searchParams }: URL): string | null {
  const isLink =
    method === 'GET' &&
    pathname === '/' &&
    headers['sec-fetch-site'] === 'cross-site' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document';
  if (!isLink) return null;
  const linked = new URLSearchParams();
  for (const name of LINKED) {
    const value = searchParams.get(name);
    if (value !== null) linked.set(name, value);
  }
  // Encoded as in an address, so that only & is left to be escaped.
  const target = `/?${linked}`.replaceAll('&', '&amp;');
  return `<!doctype html><title>Faultline</title><link rel="icon" href="data:,"><meta http-equiv="refresh" content="0; url=${target}">\n`;
}
