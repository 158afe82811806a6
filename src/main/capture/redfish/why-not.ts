import { ProblemError } from '../../../model/problem.ts';
import { connectionFailures } from '../connection-failures.ts';

/** Failures of one resource, not of the controller: other resources may work. */
const OF_A_RESOURCE = new Set(['feed.status', 'feed.garbage', 'feed.too_large']);
export const isOfResource = (error: unknown): boolean =>
  error instanceof ProblemError && OF_A_RESOURCE.has(error.problem.code);

/** Why a controller gave no data, in one line without passwords and tokens. Rethrows our own bugs. */
export function whyNot(error: unknown, host: string): string {
  if (error instanceof ProblemError) {
    const { message, place } = error.problem;
    return place === undefined ? message : `${message} (${place})`;
  }
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (!(error instanceof Error) || typeof code !== 'string') throw error;
  if (code in connectionFailures) return `${connectionFailures[code]} (${host}, ${code})`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `its certificate is for another name than ${host}`;
  if (/^(UNABLE_TO|SELF_SIGNED|CERT_|ERR_TLS)/.test(code)) return `its certificate cannot be trusted (${code})`;
  if (/^(HPE_|ERR_SSL|EPROTO)/.test(code)) return `what answers does not speak this protocol (${code})`;
  return `the connection failed (${code}): ${String(message).slice(0, 100)}`;
}
