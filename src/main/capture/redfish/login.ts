import { fail, ProblemError } from '../../../model/problem.ts';
import { secret } from '../plan/secret.ts';
import { steadyNow } from '../steady-clock.ts';
import { ownPath } from './own-path.ts';
import type { RedfishPlan } from './plan.ts';
import type { Received, Sent, Transport } from './transport.ts';

/** Pause after a refused login: controllers lock an account after a few wrong passwords. */
const FIRST_REST_MS = 15 * 60_000;
const LONGEST_REST_MS = 60 * 60_000;
/** Timeout of the logout request. */
const FAREWELL_MS = 3000;

type Headers = Readonly<Record<string, string>>;

/** Authentication: one session (DSP0266, session login), or the password with each request. */
export class Login {
  private readonly plan: RedfishPlan;
  private readonly transport: Transport;
  private readonly password: string;
  private session: { readonly token: string; readonly path: string } | null = null;
  private opening: Promise<void> | null = null;
  private isBasic: boolean;
  /** Path of the sessions, from the root's `Links.Sessions`. */
  private sessions = '';
  private refusals = 0;
  private notBefore = 0;

  private constructor(plan: RedfishPlan, transport: Transport, password: string) {
    this.plan = plan;
    this.transport = transport;
    this.password = password;
    this.isBasic = plan.auth === 'basic';
  }

  /** @throws ProblemError feed.no_secret */
  static async of(plan: RedfishPlan, transport: Transport): Promise<Login> {
    return new Login(plan, transport, plan.password === null ? '' : await secret(plan.password));
  }

  /** Earliest time of the next login after a refusal; 0: now. */
  get restsUntil(): number {
    return this.notBefore;
  }

  /** @param sessions path where sessions are created; '': the service has none */
  use(sessions: string): void {
    this.sessions = sessions;
    if (sessions === '') this.isBasic = true;
  }

  /**
   * Authentication headers for a request.
   *
   * @throws ProblemError feed.refused, without a request if the login was refused recently
   */
  async headers(signal: AbortSignal): Promise<Headers> {
    const { user } = this.plan;
    if (user === null) return {};
    if (steadyNow() < this.notBefore) return this.refuse();
    if (!this.isBasic && !this.session) await this.open(signal);
    if (this.session) return { 'x-auth-token': this.session.token };
    return { authorization: `Basic ${Buffer.from(`${user}:${this.password}`).toString('base64')}` };
  }

  /**
   * Call it after status 401 for these headers.
   *
   * @returns whether to retry: a session may have expired, a wrong password stays wrong
   */
  expired(headers: Headers): boolean {
    const { 'x-auth-token': token } = headers;
    if (token === undefined) return false;
    // Another request may have noticed it first.
    if (this.session?.token === token) this.session = null;
    return true;
  }

  accepted(): void {
    this.refusals = 0;
  }

  /** @throws ProblemError feed.refused */
  refuse(): never {
    if (steadyNow() >= this.notBefore)
      this.notBefore = steadyNow() + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** this.refusals++);
    return fail(
      'feed.refused',
      this.plan.user === null
        ? 'it requires a login, and the plan has no user'
        : `the user or the password is wrong (user ${this.plan.user}): polled rarely from now on, so that the account is not locked`,
      { hint: 'check the password by hand, correct it and start again' },
    );
  }

  private open(signal: AbortSignal): Promise<void> {
    this.opening ??= this.begin(signal).finally(() => {
      this.opening = null;
    });
    return this.opening;
  }

  private async begin(signal: AbortSignal): Promise<void> {
    const body = JSON.stringify({ UserName: this.plan.user, Password: this.password });
    const headers = { 'content-type': 'application/json', accept: 'application/json', 'odata-version': '4.0' };
    const sent: Sent = { method: 'POST', path: this.sessions, headers, body, signal };
    const answer = await this.transport.exchange(sent);
    const { status } = answer;
    if (status === 401 || status === 403 || (status === 400 && isUnauthorized(answer))) this.refuse();
    // Old controllers lack the sessions that their root lists (mrlhansen/idrac_exporter, issue 132).
    if (status === 404 || status === 405 || status === 501) this.isBasic = true;
    else if (status >= 300) fail('feed.no_session', `it opens no session: ${status}${detailOf(answer)}`);
    else this.session = this.sessionOf(answer);
  }

  private sessionOf({ headers, body }: Received): { readonly token: string; readonly path: string } {
    const token = headers['x-auth-token'];
    if (typeof token !== 'string' || token === '')
      return fail('feed.no_session', 'it opened a session without a token');
    const location = headers.location ?? linkIn(body);
    return { token, path: ownPath(location, this.plan.url) ?? '' };
  }

  /** Ends the session: controllers have room for few. */
  async end(): Promise<void> {
    const { session } = this;
    this.session = null;
    if (!session || session.path === '') return;
    const headers = { 'x-auth-token': session.token };
    const signal = AbortSignal.timeout(FAREWELL_MS);
    await this.transport.exchange({ method: 'DELETE', path: session.path, headers, signal }).catch(ignoreFailure);
  }
}

/** Connection failures do not matter at the end; our own bugs do. */
function ignoreFailure(error: unknown): void {
  if (error instanceof ProblemError || (error instanceof Error && ('code' in error || error.name === 'AbortError')))
    return;
  throw error;
}

/** Some answer a wrong password with 400: `iLO.2.14.UnauthorizedLoginAttempt`. */
const isUnauthorized = ({ body }: Received): boolean =>
  /Unauthorized|InvalidCredential|AuthenticationFail|InvalidUserNameorPassword/i.test(body.toString('utf8', 0, 4096));

/** The message of an error response (DSP0266), in brackets; '' if there is none. */
export function detailOf({ body }: Received): string {
  const [, message = ''] = /"Message"\s*:\s*"((?:[^"\\]|\\.){1,200})/.exec(body.toString('utf8', 0, 8192)) ?? [];
  return message === '' ? '' : ` (${message})`;
}

const linkIn = (body: Buffer): string =>
  /"@odata\.id"\s*:\s*"([^"]{1,500})"/.exec(body.toString('utf8', 0, 8192))?.[1] ?? '';
