import type { Input, RejectedQuestion } from '../../../model/contract/index.ts';
import type { Terminal } from './command.ts';

type Answer = Omit<Input<'import.answer'>, 'question'>;

const answers: Readonly<Record<string, Answer>> = {
  y: { keep: true },
  a: { keep: true, rest: true },
  s: { keep: false, rest: true },
};

/** Asks who sits at the terminal whether a source stays of which most could not be read; scripts keep none. */
export async function askToKeep(question: RejectedQuestion, terminal: Terminal): Promise<Answer> {
  if (terminal.ask === null) return { keep: false, rest: true };
  const { file, rows, rejects, reasons, remaining } = question;
  const lines = reasons.map(({ reason, count, excerpt }) => `  ${count} x ${reason}${shortened(excerpt)}\n`);
  const more = remaining === 0 ? '' : ', a: yes to all that follow, s: no to all that follow';
  const said = await terminal.ask(
    `${file}: ${rejects} of ${rows + rejects} records could not be read\n${lines.join('')}Keep the rest of it? [y/N${more}] `,
  );
  return answers[said.trim().toLowerCase().charAt(0)] ?? { keep: false };
}

/** As much of a record as shows what it is. */
const EXCERPT = 60;

function shortened(excerpt: string): string {
  // Records may hold anything, also what would move the cursor.
  const line = excerpt.replaceAll(/\p{Cc}+/gu, ' ').trim();
  if (line === '') return '';
  return `: ${line.length > EXCERPT ? `${line.slice(0, EXCERPT)}…` : line}`;
}
