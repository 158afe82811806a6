import { setTimeout as rest } from 'node:timers/promises';
import { withEither } from '../../../base/with-either.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import { bodyOf, jsonIn } from '../../capture/answer-body.ts';
import type { ConnectionPlan } from '../connection-plan.ts';
import { failureOf, type RequestFailure, RubbishFailure, StatusFailure } from './failure.ts';
import type { Login } from './login.ts';
import { RequestPace } from './request-pace.ts';

/** Largest answer, and what all answers at the same time may have: they are in memory while they are checked. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_BYTES_AT_ONCE = 128 * 1024 * 1024;
/** A request that runs out of time so often is likely to do so again: a shorter slice may not. */
const MOST_SLOW_ATTEMPTS = 2;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;

export type Members = Readonly<Record<string, unknown>>;

export interface ArchiveRequest {
  /** Appended to the base address. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** A form, JSON or text; it makes the request a POST, which must be safe to repeat. */
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
  /** Left out: GET, or POST with a body. */
  readonly method?: 'DELETE' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** How the archive refuses a request for its size: a shorter slice may do. */
  readonly tooLarge?: RegExp;
  /** How it refuses a request that it would refuse again, whatever the status. */
  readonly refused?: RegExp;
}

export interface Answer {
  readonly body: Buffer;
  readonly members: Members;
}

/**
 * Requests to one archive. Only its own origin gets credentials: redirects are refused. What may pass is repeated with growing
 * pauses, an answer that is half or rubbish like one that never came; a pause that the archive asks for holds for all requests.
 */
export class ArchiveClient {
  repeats = 0;
  lastReason = '';
  private readonly plan: ConnectionPlan;
  /** Its address, without credentials. */
  readonly base: string;
  private readonly pace: RequestPace;
  private readonly login: Login;

  constructor(plan: ConnectionPlan, login: Login) {
    this.plan = plan;
    this.login = login;
    this.base = plan.url.replace(/[?#].*$/, '').replace(/\/+$/, '');
    this.pace = new RequestPace(plan.requests_per_s);
  }

  /**
   * An answer that is one whole JSON object.
   *
   * @param isAnswer whether it has the shape that the API documents; a text: what is wrong with it
   * @throws ProblemError archive.slice_too_large, archive.too_slow, archive.refused, archive.unavailable; the signal's reason
   */
  async json(
    request: ArchiveRequest,
    isAnswer: (members: Members) => boolean | string,
    signal: AbortSignal,
  ): Promise<Answer> {
    return this.repeated(request, signal, async (patience) => {
      const { body } = await this.send(request, patience);
      const value = jsonIn(body);
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      const verdict = isObject && isAnswer(value as Members);
      if (verdict !== true)
        throw new RubbishFailure(verdict || `its answer to ${request.path} is not what its API documents`);
      return { body, members: value as Members };
    });
  }

  /**
   * An answer as bytes.
   *
   * @param isWhole whether nothing of it is missing; a problem that it throws ends the request
   * @throws as {@link json}
   */
  async bytes(
    request: ArchiveRequest,
    isWhole: (body: Buffer, headers: Headers) => boolean,
    signal: AbortSignal,
  ): Promise<Buffer> {
    return this.repeated(request, signal, async (patience) => {
      const { body, headers } = await this.send(request, patience);
      if (!isWhole(body, headers)) throw new RubbishFailure('its answer is not whole');
      return body;
    });
  }

  private async repeated<T>(
    { tooLarge, refused }: ArchiveRequest,
    signal: AbortSignal,
    attempt: (patience: AbortSignal) => Promise<T>,
  ): Promise<T> {
    let slow = 0;
    for (let made = 1; ; made++) {
      await this.pace.turn(signal);
      try {
        return await withEither([signal, AbortSignal.timeout(this.plan.timeout_s * 1000)], attempt);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ProblemError) throw error;
        const failure = await this.withoutSecrets(failureOf(error));
        if (!isOverload(failure) && !isLogin(failure) && tooLarge?.test(failure.reason))
          fail('archive.slice_too_large', failure.reason);
        if (refused?.test(failure.reason)) this.giveUp({ ...failure, mayPass: false }, made);
        if (failure.isSlow) slow++;
        const isEnough = made >= this.plan.attempts || (failure.isSlow && slow >= MOST_SLOW_ATTEMPTS);
        if (!failure.mayPass || isEnough) this.giveUp(failure, made);
        await this.backOff(failure, made, signal);
      }
    }
  }

  /** A server may repeat what it was sent. */
  private async withoutSecrets(failure: RequestFailure): Promise<RequestFailure> {
    const secrets = await this.login.sent();
    return { ...failure, reason: secrets.reduce((text, one) => text.replaceAll(one, '***'), failure.reason) };
  }

  private async backOff(failure: RequestFailure, made: number, signal: AbortSignal): Promise<void> {
    const { reason, wait_ms } = failure;
    this.repeats++;
    this.lastReason = reason;
    const backoff_ms = Math.min(FIRST_BACKOFF_MS * 2 ** (made - 1), LONGEST_BACKOFF_MS) * (0.5 + Math.random() / 2);
    const pause_ms = wait_ms || backoff_ms;
    // A lost connection concerns one request.
    if (isOverload(failure)) this.pace.pause(pause_ms);
    else await rest(pause_ms, undefined, { signal });
  }

  private giveUp({ reason, mayPass, isSlow, status }: RequestFailure, made: number): never {
    const place = this.base;
    if (mayPass)
      return fail(isSlow ? 'archive.too_slow' : 'archive.unavailable', `${place}: ${reason}, after ${made} attempts`, {
        place,
      });
    const hint = isLogin({ status }) ? { hint: 'check the login of the plan' } : {};
    return fail('archive.refused', `${place}: ${reason}`, { place, ...hint });
  }

  private async send(
    { path, query, form, json, text, method, headers }: ArchiveRequest,
    signal: AbortSignal,
  ): Promise<{ readonly body: Buffer; readonly headers: Headers }> {
    // A signature is of spaces as %20; a server reads both.
    const search = query ? `?${String(new URLSearchParams(query)).replaceAll('+', '%20')}` : '';
    const body = form ? new URLSearchParams(form) : json === undefined ? text : JSON.stringify(json);
    const request = {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      url: `${this.base}${path}${search}`,
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    };
    const answer = await fetch(request.url, {
      signal,
      method: request.method,
      // A redirect would send credentials to another host.
      redirect: 'error',
      headers: { accept: 'application/json', ...request.headers, ...(await this.login.headers(request)) },
      ...(body !== undefined && { body }),
    });
    const content = await bodyOf(answer.body, Math.min(MOST_BYTES, MOST_BYTES_AT_ONCE / this.plan.parallel)).catch(
      asTooLarge,
    );
    if (!answer.ok) throw new StatusFailure(answer, content);
    return { body: content, headers: answer.headers };
  }
}

const isLogin = ({ status }: Pick<RequestFailure, 'status'>): boolean => status === 401 || status === 403;

/** The archive wants fewer requests, of any kind and size. */
const isOverload = ({ status }: RequestFailure): boolean => status === 429 || status === 503;

function asTooLarge(error: unknown): never {
  if (error instanceof ProblemError) fail('archive.slice_too_large', error.problem.message);
  throw error;
}
