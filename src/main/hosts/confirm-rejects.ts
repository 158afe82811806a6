import { visibleLine } from '../../base/visible-text.ts';
import type { Input, RejectsPrompt } from '../../model/contract/index.ts';
import type { Terminal } from './commands/command.ts';

type Answer = Omit<Input<'import.answer'>, 'question'>;

const answers: Readonly<Record<string, Answer>> = {
  y: { keep: true },
  a: { keep: true, rest: true },
  s: { keep: false, rest: true },
};

/** Asks who sits at the terminal whether a source stays of which most could not be read; scripts keep none. */
export async function confirmRejects(prompt: RejectsPrompt, terminal: Terminal): Promise<Answer> {
  if (terminal.prompt === null) return { keep: false, rest: true };
  const { file, rows, rejects, reasons, remaining } = prompt;
  const lines = reasons.map(({ reason, count, excerpt }) =>
    [`  ${count} x ${shortened(reason, REASON)}\n`, excerpt && `      ${shortened(excerpt, EXCERPT)}\n`].join(''),
  );
  const more = remaining === 0 ? '' : ', a: yes to all that follow, s: no to all that follow';
  const answerText = await terminal.prompt(
    `${visibleLine(file)}: ${rejects} of ${rows + rejects} records could not be read\n${lines.join('')}Keep the rest of it? [y/N${more}] `,
  );
  return answers[answerText.trim().toLowerCase().charAt(0)] ?? { keep: false };
}

/** As much as tells why, and as much of a record as shows what it is. */
const REASON = 110;
const EXCERPT = 80;

function shortened(text: string, length: number): string {
  // Records may hold anything, also what would move the cursor.
  const line = visibleLine(text.replaceAll(/\s+/g, ' ')).trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
