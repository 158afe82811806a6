import { onAbort } from '../../../base/on-abort.ts';
import type { ImportEvent, Parsed, RejectsPrompt } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';

type Answer = Pick<Parsed<'import.answer'>, 'keep' | 'rest'>;

/** Prompts of imports. */
export class ImportPrompts {
  private readonly open = new Map<string, (answer: Answer) => void>();
  private next = 1;

  /** The answer rejects when the import is cancelled meanwhile. */
  request(signal: AbortSignal): { readonly prompt: string; readonly answer: Promise<Answer> } {
    const prompt = String(this.next++);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const cancel = () => reject(signal.reason);
    const forget = onAbort(signal, cancel);
    this.open.set(prompt, resolve);
    const answer = promise.finally(() => {
      forget();
      this.open.delete(prompt);
    });
    // There may be no waiter when it is cancelled.
    answer.catch(() => undefined);
    return { prompt, answer };
  }

  /** @throws ProblemError import.unknown_question */
  answer(prompt: string, answer: Answer): void {
    const resolve = this.open.get(prompt);
    if (!resolve) fail('import.unknown_question', 'the import no longer waits for this answer');
    resolve(answer);
  }
}

/** Counts of a data source after reading, before the commit. */
export interface ReadSource {
  readonly name: string;
  readonly sourceId: number;
  readonly rows: number;
  readonly rejects: number;
  /** Sources still to come. */
  readonly remaining: number;
}

const REASONS = 5;

/** Decides whether data sources with mostly unreadable records are kept. */
export class MostlyRejected {
  private decided: boolean | undefined;
  private readonly prompts: ImportPrompts;
  private readonly signal: AbortSignal;

  /** @param decided true keeps them, false leaves them out, undefined asks */
  constructor(decided: boolean | undefined, prompts: ImportPrompts, signal: AbortSignal) {
    this.decided = decided;
    this.prompts = prompts;
    this.signal = signal;
  }

  /**
   * To be called in the transaction of the data source, which stays open during the prompt.
   * @throws ProblemError import.mostly_rejected when it is not to be kept
   */
  async *judge(session: Session, source: ReadSource): AsyncGenerator<ImportEvent, void, void> {
    const { name, rows, rejects, remaining } = source;
    if (rejects <= rows) return;
    let keepRejected = this.decided;
    if (keepRejected === undefined) {
      const reasons = await frequentReasons(session, source.sourceId);
      const { prompt, answer } = this.prompts.request(this.signal);
      yield { kind: 'question', question: prompt, file: name, rows, rejects, reasons, remaining };
      const answered = await answer;
      keepRejected = answered.keep;
      if (answered.rest) this.decided = keepRejected;
    }
    if (!keepRejected)
      fail('import.mostly_rejected', `${rejects} of ${rows + rejects} records of ${name} could not be read`, {
        hint: 'nothing was imported from it; it may be of another format, or damaged',
        place: name,
      });
  }
}

/** Reasons that differ in their numbers (of a record, of a line) are merged, with `#` for the number. */
const frequentReasons = async (session: Session, sourceId: number): Promise<RejectsPrompt['reasons']> =>
  rowsOf(
    await session.query(
      `select if(min(reason) = max(reason), min(reason), pattern) as reason, count(*)::integer as count,
         coalesce(arg_min(excerpt, "at"), '') as excerpt
       from (select coalesce(reason, '') as reason, regexp_replace(reason, '[0-9]+', '#', 'g') as pattern, excerpt, "at"
         from reject where source_id = $1)
       group by pattern order by count desc, pattern limit $2`,
      [sourceId, REASONS],
    ),
  );
