import { visibleLine } from '../../base/visible-text.ts';
import type { Input, RejectsPrompt } from '../../model/contract/index.ts';
import type { Terminal } from './commands/command.ts';
import { messages } from './commands/messages/import.ts';

type Answer = Omit<Input<'import.answer'>, 'question'>;

const answers: Readonly<Record<string, Answer>> = {
  y: { keep: true },
  a: { keep: true, rest: true },
  s: { keep: false, rest: true },
};

/** Prompts whether to keep a file of which most records could not be read; without a terminal it is not kept. */
export async function confirmRejects(prompt: RejectsPrompt, terminal: Terminal): Promise<Answer> {
  if (terminal.prompt === null) return { keep: false, rest: true };
  const { file, rows, rejects, reasons, remaining } = prompt;
  const lines = reasons.map(({ reason, count, excerpt }) =>
    [
      `  ${messages.prompt.reason(count, shortened(reason, REASON))}\n`,
      excerpt && `      ${shortened(excerpt, EXCERPT)}\n`,
    ].join(''),
  );
  const choices = remaining === 0 ? messages.prompt.answers : messages.prompt.answersForAll;
  const about = messages.prompt.rejects(visibleLine(file), rejects, rows + rejects);
  const answerText = await terminal.prompt(`${about}\n${lines.join('')}${messages.prompt.keep} [${choices}] `);
  return answers[answerText.trim().toLowerCase().charAt(0)] ?? { keep: false };
}

/** Characters that are enough to understand a reason, and to recognise a record. */
const REASON = 110;
const EXCERPT = 80;

function shortened(text: string, length: number): string {
  // Records may contain anything, even sequences that move the cursor.
  const line = visibleLine(text.replaceAll(/\s+/g, ' ')).trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
