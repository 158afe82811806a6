import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { ProblemError } from '../../model/problem.ts';
import type { Engine, Session } from '../../model/storage/engine.ts';
import {
  ENDED_BY_MEMORY,
  type OwnProcess,
  type StartProcess,
  type StatementAnswer,
  type StatementOrder,
} from '../../model/storage/statement-process.ts';
import { sweepScratch } from '../disk/scratch-folder.ts';

/** Larger cases are copied only while a capture runs: a copy takes a second a gigabyte. */
const MOST_COPIED_BYTES = 2 * 2 ** 30;
/** While rows come all the time, as old as what is on screen. */
const LIVE_AGE_MS = 2000;
/** A statement that does not hear that nobody waits for it is ended with its process. */
const PATIENCE_MS = 3000;
/** Nobody asked anything for so long: the copy goes. */
const IDLE_MS = 120_000;

/** The engine of a case whose statements of people run in a process of their own, over a copy. */
export function withIsolatedStatements(engine: Engine, database: string, start: StartProcess): Engine {
  const statements = new Statements(database, start);
  let isShielded = false;
  const isIsolated = async () => isShielded || (await sizeOf(database)) <= MOST_COPIED_BYTES;
  const age = () => (isShielded ? LIVE_AGE_MS : 0);
  return {
    ...engine,
    shield: (isOn) => {
      isShielded = isOn;
    },
    session: async () => {
      const session = await engine.session();
      const queryUntrusted: Session['queryUntrusted'] = async (sql, limit, signal) => {
        if (!(await isIsolated())) return session.queryUntrusted(sql, limit, signal);
        const answer = await statements.request({ kind: 'query', sql, limit, most_age_ms: age() }, signal);
        return answer.kind === 'rows' ? answer.rows : unexpected(answer);
      };
      const queryParquet: Session['queryParquet'] = async (sql, signal) => {
        if (!(await isIsolated())) return session.queryParquet(sql, signal);
        const answer = await statements.request({ kind: 'parquet', sql, limit: 0, most_age_ms: age() }, signal);
        return answer.kind === 'parquet' ? answer.bytes : unexpected(answer);
      };
      return { ...session, queryUntrusted, queryParquet };
    },
    close: async () => {
      statements.end();
      await engine.close();
    },
  };
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

function unexpected(answer: StatementAnswer): never {
  if (answer.kind === 'problem') throw new ProblemError(answer.problem);
  throw new Error(answer.kind === 'bug' ? answer.message : `bug: an answer of kind ${answer.kind}`);
}

type StatementRequest = Omit<Exclude<StatementOrder, { kind: 'cancel' }>, 'id'>;

interface Running {
  readonly process: OwnProcess;
  readonly waiting: Map<number, PromiseWithResolvers<StatementAnswer>>;
}

/** The process of one case; one that ended is started anew by the next statement. */
class Statements {
  private readonly database: string;
  private readonly start: StartProcess;
  private running: Running | undefined;
  private idle: NodeJS.Timeout | undefined;
  private next = 1;

  constructor(database: string, start: StartProcess) {
    this.database = database;
    this.start = start;
  }

  /** @throws ProblemError sql.ended, and the signal's reason */
  async request(order: StatementRequest, signal?: AbortSignal): Promise<StatementAnswer> {
    signal?.throwIfAborted();
    this.running ??= this.begin();
    const { running } = this;
    const id = this.next++;
    const answered = Promise.withResolvers<StatementAnswer>();
    // A caller that gave up ignores the answer.
    answered.promise.catch(() => undefined);
    running.waiting.set(id, answered);
    clearTimeout(this.idle);
    const cancel = () => {
      running.process.post({ kind: 'cancel', id });
      setTimeout(() => running.waiting.has(id) && running.process.kill(), PATIENCE_MS).unref();
      answered.reject(signal?.reason);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    running.process.post({ ...order, id });
    try {
      return await answered.promise;
    } finally {
      signal?.removeEventListener('abort', cancel);
      clearTimeout(this.idle);
      this.idle = setTimeout(() => this.end(), IDLE_MS).unref();
    }
  }

  end(): void {
    clearTimeout(this.idle);
    const { running } = this;
    this.running = undefined;
    running?.process.kill();
  }

  private begin(): Running {
    const running: Running = { process: this.start(this.database), waiting: new Map() };
    running.process.onAnswer((answer) => {
      running.waiting.get(answer.id)?.resolve(answer);
      running.waiting.delete(answer.id);
    });
    running.process.onEnd((signal) => {
      if (this.running === running) this.running = undefined;
      // Its copy of the case: it had no time to remove it.
      void sweepScratch(tmpdir());
      for (const { reject } of running.waiting.values()) reject(ended(signal));
    });
    return running;
  }
}

const ended = (signal: string | null): ProblemError =>
  new ProblemError(
    signal === ENDED_BY_MEMORY
      ? {
          code: 'sql.too_large',
          message: 'this statement took more than 3 GB of memory and was ended',
          hint: 'ask for less of it: fewer rows, shorter lists or texts',
        }
      : {
          code: 'sql.ended',
          message: 'the process that runs statements has ended; nothing of the case was touched',
          hint: 'it may have taken too much memory: ask for less',
        },
  );
