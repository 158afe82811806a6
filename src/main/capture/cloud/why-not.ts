import { ProblemError } from '../../../model/problem.ts';
import { connectionFailures } from '../connection-failures.ts';
import { HttpFailure } from './fetch-json.ts';

interface Failure {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown };
}

/** By the names and codes that providers and their libraries use. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [/Expired/i, 'the credentials have expired: log in again'],
  [
    /CredentialsProvider|CredentialUnavailable|NoCredential|ChainedTokenCredential|TokenProvider/i,
    'no credentials found at their usual places',
  ],
  [/SubscriptionRequired/, 'the account has no support plan that includes AWS Health'],
  [
    /AccessDenied|Forbidden|AuthorizationFailed|PERMISSION_DENIED|NotAuthorized/i,
    'these credentials have no permission to read that',
  ],
  [
    /UnrecognizedClient|InvalidClientToken|InvalidSignature|SignatureDoesNotMatch|AuthenticationRequired|InvalidAuthenticationToken|UNAUTHENTICATED|AuthenticationError|invalid_client|invalid_grant|unauthorized_client/i,
    'the credentials are not accepted',
  ],
  [
    /Throttl|TooManyRequests|RequestLimit|RESOURCE_EXHAUSTED|rateLimit/i,
    'too many requests: polled less often from now on',
  ],
];

/** Why a provider gave no data, in one line without tokens and keys. Rethrows our own bugs. */
export function whyNot(error: unknown): string {
  if (error instanceof ProblemError) return error.problem.message;
  if (!(error instanceof Error)) throw error;
  const { name, code, $metadata } = error as Failure;
  const status = error instanceof HttpFailure ? error.status : Number($metadata?.httpStatusCode ?? Number.NaN);
  // OAuth errors are only in the message.
  const oauth = /\b(invalid_(?:grant|client|request)|unauthorized_client)\b/.exec(error.message)?.[1] ?? '';
  const errorText = `${String(name ?? '')} ${String(code ?? '')} ${oauth}`;
  const meaning = meanings.find(([pattern]) => pattern.test(errorText))?.[1];
  const suffix = Number.isNaN(status) ? '' : `, ${status}`;
  if (meaning) return `${meaning} (${oauth || shortName(error)}${suffix})`;
  if (status === 401) return 'the credentials are not accepted (401)';
  if (status === 403) return 'these credentials have no permission to read that (403)';
  if (status === 429) return 'too many requests: polled less often from now on (429)';
  if (!Number.isNaN(status)) return `it answered ${status} (${shortName(error)})`;
  if (/Timeout|AbortError/.test(errorText)) return 'it did not answer in time';
  const system = systemCode(error);
  if (system) return `${connectionFailures[system] ?? 'the connection failed'} (${system})`;
  if (error.message === 'fetch failed') return `its answer cannot be used: ${causeOf(error)}`;
  // Rethrow bugs.
  if (/^(TypeError|RangeError|ReferenceError|SyntaxError)$/.test(error.name)) throw error;
  return error.message.split('\n')[0]?.slice(0, 200) ?? error.name;
}

const shortName = (error: Error): string =>
  error instanceof HttpFailure && error.code !== '' ? error.code : error.name;

const causeOf = ({ cause }: Error): string => (cause instanceof Error ? cause.message.slice(0, 200) : 'it broke off');

/** The system's error code, however deep libraries have wrapped it. */
function systemCode(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 5) return undefined;
  const { code, cause, errors } = error as Failure;
  if (typeof code === 'string' && /^(E[A-Z_]+|CERT_\w+|DEPTH_ZERO\w+|UND_ERR\w*)$/.test(code)) return code;
  const [first] = Array.isArray(errors) ? errors : [];
  return systemCode(cause, depth + 1) ?? systemCode(first, depth + 1);
}
