import { readFile } from 'node:fs/promises';
import type { FeedTest } from '../../model/contract/index.ts';
import { fail } from '../../model/problem.ts';
import { type Invocation, toJson, withCore } from './commands/command.ts';
import { messages } from './commands/messages/capture.ts';

/** The text of a plan. @throws ProblemError plan.unreadable */
export const readPlan = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch(() =>
    fail('plan.unreadable', messages.planUnreadable.message(path), { hint: messages.planUnreadable.hint, place: path }),
  );

/** Prints a line per step of each feed and push, or of an archive. @throws ProblemError feed.test_failed when a step did not pass */
export async function testPlan(
  plan: string,
  call: 'capture.test' | 'archive.test',
  invocation: Invocation,
): Promise<void> {
  const { terminal } = invocation;
  const outcomes: boolean[] = [];
  await withCore(invocation, undefined, async (core) => {
    for await (const event of core.api[call]({ plan }, { signal: terminal.signal })) {
      if (event.kind === 'tested') outcomes.push(event.passed);
      if (invocation.values['json']) terminal.out(toJson(event).replaceAll(/\n\s*/g, ' ').trimEnd().concat('\n'));
      else if (event.kind === 'check') terminal.out(checkLine(event));
    }
  });
  const wrong = outcomes.filter((passed) => !passed).length;
  if (wrong > 0)
    fail('feed.test_failed', messages.testsFailed.message(wrong, outcomes.length), { hint: messages.testsFailed.hint });
}

function checkLine({ name, check }: Extract<FeedTest, { kind: 'check' }>): string {
  const result = check.passed ? messages.passed : messages.failed;
  const line = messages.check(name, check.step, result, check.detail);
  return `${line}${check.hint === undefined ? '' : `\n  ${check.hint}`}\n`;
}
