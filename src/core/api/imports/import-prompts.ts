import { onAbort } from '../../../base/on-abort.ts';
import type { ImportEvent, Parsed, RejectsPrompt } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';

type Answer = Pick<Parsed<'import.answer'>, 'keep' | 'rest'>;

/** What imports wait for the investigator to decide. */
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
    // Nobody may be waiting any more when it is cancelled.
    answer.catch(() => undefined);
    return { prompt, answer };
  }

  /** @throws ProblemError import.unknown_question */
  answer(prompt: string, answer: Answer): void {
    const resolve = this.open.get(prompt);
    if (!resolve) fail('import.unknown_question', 'the import does not wait for this answer any more');
    resolve(answer);
  }
}

/** What a source has come to when all of it has been read and nothing is committed. */
export interface ReadSource {
  readonly name: string;
  readonly sourceId: number;
  readonly rows: number;
  readonly rejects: number;
  /** Sources still to come. */
  readonly remaining: number;
}

const REASONS = 5;

/** Decides for the sources of one import whether those stay of which most could not be read. */
export class MostlyRejected {
  /** True keeps, false leaves out, undefined asks. */
  private decided: boolean | undefined;
  private readonly prompts: ImportPrompts;
  private readonly signal: AbortSignal;

  constructor(keepRejected: boolean, prompts: ImportPrompts, signal: AbortSignal) {
    this.decided = keepRejected || undefined;
    this.prompts = prompts;
    this.signal = signal;
  }

  /**
   * To be called in the source's transaction, which stays open while the question does.
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
        hint: 'nothing of it was kept; is it of another format, or damaged?',
        place: name,
      });
  }
}

/** Reasons that differ in their numbers (of a record, of a line) are one, told with `#` in their place. */
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
