import { ProblemError } from '../../model/problem.ts';
import type { FeedCheck } from '../../model/storage/feed.ts';
import { checkSecrets, checkWay, failed, passed } from '../capture/connection-checks.ts';
import { whyNotPlain } from '../capture/speaks-tls.ts';
import type { CheckedArchive } from './archive-plan.ts';
import { ArchiveClient } from './http/archive-client.ts';

const PATIENCE_MS = 5000;

/** Tests the connection step by step, as of live feeds; ends after the first failed step. */
export async function* testArchive({ kind, plan }: CheckedArchive, signal: AbortSignal): AsyncGenerator<FeedCheck> {
  const login = kind.login(plan);
  const secrets = await checkSecrets(login.references);
  if (secrets) yield secrets;
  if (secrets?.passed === false) return;
  const { protocol, hostname, port } = new URL(plan.url);
  const number = Number(port) || (protocol === 'https:' ? 443 : 80);
  for await (const check of checkWay(hostname, number, PATIENCE_MS)) {
    yield check;
    if (!check.passed) return;
  }
  try {
    const check = await kind.probe(new ArchiveClient({ ...plan, attempts: 1 }, login), plan, signal);
    if (protocol === 'https:') yield passed('tls', 'the connection is encrypted, the certificate is valid');
    yield passed('auth', login.references.length === 0 ? 'it answers without a login' : 'it accepts the login');
    yield check;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    yield await whyNot(error, plan.url);
  }
}

async function whyNot({ problem: { message, hint } }: ProblemError, url: string): Promise<FeedCheck> {
  const [, status = 'ECONNRESET'] = /it answered (\d+)/.exec(message) ?? [];
  const plain = await whyNotPlain(url, status);
  if (plain) return failed('tls', plain, 'change the address in the plan');
  if (/certificate|HTTPS/.test(message)) return failed('tls', message, 'this machine must trust the certificate');
  return failed(status === '401' || status === '403' ? 'auth' : 'values', message, hint);
}
