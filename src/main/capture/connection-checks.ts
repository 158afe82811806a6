import { lookup } from 'node:dns/promises';
import { connect, createServer, isIP } from 'node:net';
import { errorCode } from '../../base/error-code.ts';
import { ProblemError } from '../../model/problem.ts';
import type { FeedCheck, FeedStep } from '../../model/storage/feed.ts';
import { connectionFailures } from './connection-failures.ts';
import { secret } from './plan/secret.ts';

/** Steps that the tests of several kinds of feeds share. */
export const passed = (step: FeedStep, detail: string): FeedCheck => ({ step, passed: true, detail });
export const failed = (step: FeedStep, detail: string, hint?: string): FeedCheck =>
  hint === undefined ? { step, passed: false, detail } : { step, passed: false, detail, hint };

/** Checks that every secret reference of a plan can be read; null if the plan has none. */
export async function checkSecrets(references: readonly (string | null | undefined)[]): Promise<FeedCheck | null> {
  const secretReferences = references.filter((reference) => reference !== null && reference !== undefined);
  if (secretReferences.length === 0) return null;
  for (const reference of secretReferences) {
    try {
      await secret(reference);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return failed('secret', error.problem.message, error.problem.hint);
    }
  }
  return passed('secret', `${secretReferences.join(' and ')} can be read`);
}

/** Resolves a host name; null for an address. */
export async function checkName(host: string): Promise<FeedCheck | null> {
  const hostText = host.replace(/^\[|\]$/g, '');
  if (isIP(hostText) !== 0) return null;
  try {
    const { address } = await lookup(hostText);
    return passed('name', `${hostText} is ${address}`);
  } catch (error) {
    const why = connectionFailures[errorCode(error)] ?? 'its name cannot be looked up';
    return failed('name', `${hostText}: ${why}`, 'check the spelling, or use the IP address');
  }
}

/** Checks that a TCP port accepts connections; no answer at all means that the route failed. */
export async function checkPort(host: string, port: number, timeoutMs: number): Promise<FeedCheck> {
  const bare = host.replace(/^\[|\]$/g, '');
  const place = `${host} port ${port}`;
  const socket = connect({ host: bare, port });
  try {
    return await new Promise<FeedCheck>((resolve) => {
      socket.setTimeout(timeoutMs, () =>
        resolve(
          failed(
            'route',
            `no answer from ${place} within ${timeoutMs / 1000} s`,
            'a firewall, or nothing at that address',
          ),
        ),
      );
      socket.once('connect', () => resolve(passed('port', `${place} takes connections`)));
      socket.once('error', (error) => {
        const code = errorCode(error);
        const why = connectionFailures[code] ?? `the connection failed (${code})`;
        const step = code === 'ECONNREFUSED' || code === 'ECONNRESET' ? 'port' : 'route';
        const hint =
          step === 'port' ? 'check the port, and that the service runs' : 'check the address and the way there';
        resolve(failed(step, `${place}: ${why}`, hint));
      });
    });
  } finally {
    socket.destroy();
  }
}

/** Resolves the host name, then tries the TCP port. Ends after the step that failed. */
export async function* checkWay(host: string, port: number, timeoutMs: number): AsyncGenerator<FeedCheck> {
  const name = await checkName(host);
  if (name) yield name;
  if (name?.passed !== false) yield await checkPort(host, port, timeoutMs);
}

/** Checks that this machine can listen at a TCP address, `host:port`; port 0 means any free port. */
export async function checkListening(what: string, address: string): Promise<FeedCheck> {
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at).replace(/^\[|\]$/g, '');
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(Number(address.slice(at + 1)), host, resolve);
    });
    return passed('port', `${what} can listen on ${address}`);
  } catch (error) {
    const code = errorCode(error);
    const [why, hint] = listeningFailures[code] ?? [`the system refuses it (${code})`, undefined];
    return failed('port', `${what} cannot listen on ${address}: ${why}`, hint);
  } finally {
    server.close();
  }
}

const listeningFailures: Readonly<Record<string, readonly [string, string]>> = {
  EADDRINUSE: ['something listens there already', 'stop it, or choose another port; port 0 takes a free one'],
  EACCES: ['this user may not', 'choose a port above 1023'],
  EADDRNOTAVAIL: ['this machine has no such address', 'use 127.0.0.1, or 0.0.0.0 for all of its addresses'],
  ENOTFOUND: ['that name is not known', 'use 127.0.0.1, or 0.0.0.0 for all of its addresses'],
};
