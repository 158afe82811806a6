import { parseArgs } from 'node:util';
import { visibleLine } from '../../base/visible-text.ts';
import { type Problem, ProblemError } from '../../model/problem.ts';
import { type Command, type Terminal, UsageError } from './commands/command.ts';
import { commands } from './commands/index.ts';
import { messages } from './messages.ts';

/** Exit codes of DESIGN section 5. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** Runs one command line. An expected failure is an exit code and a few clear lines; only a bug is thrown. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name = 'help', ...rest] = args;
  if (name === '--version' || name === '-v') {
    terminal.out(`${messages.commandLine.version(terminal.version, terminal.commit)}\n`);
    return EXIT.ok;
  }
  if (name === 'help' || name === '--help' || name === '-h') {
    terminal.out(help());
    return EXIT.ok;
  }
  const command = commands.find((candidate) => candidate.name === name);
  if (!command) return usage(terminal, messages.commandLine.unknownCommand(name));
  try {
    const { values, positionals } = parse(command, rest);
    if (values.help) {
      terminal.out(`${command.usage}\n`);
      return EXIT.ok;
    }
    await command.run({ values, positionals, terminal });
    return EXIT.ok;
  } catch (error) {
    return report(error, command, terminal);
  }
}

function parse(command: Command, args: readonly string[]) {
  try {
    const parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...command.options, help: { type: 'boolean', short: 'h' } },
    });
    return {
      values: parsed.values as Readonly<Record<string, string | boolean | string[] | undefined>>,
      positionals: parsed.positionals,
    };
  } catch (error) {
    throw new UsageError((error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '');
  }
}

function report(error: unknown, command: Command, terminal: Terminal): number {
  if (error instanceof UsageError) return usage(terminal, error.message, command.usage);
  if (error instanceof ProblemError && error.problem.code === 'request.invalid') {
    return usage(terminal, error.problem.message.replace(/^[\w.]+: (?:options\.)?/, ''), command.usage);
  }
  if (error instanceof ProblemError) {
    terminal.err(`${formatProblem(error.problem)}\n`);
    return EXIT.failed;
  }
  if (terminal.signal.aborted) {
    terminal.err(`faultline: ${messages.commandLine.cancelled}\n`);
    return EXIT.failed;
  }
  // What the operating system refuses (no permission, no space, a port in use) is one line without a stack trace.
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    terminal.err(`faultline: ${error.message.split('\n')[0]}\n`);
    return EXIT.failed;
  }
  throw error;
}

/** One line, and another with what to do next. */
export function formatProblem({ message, hint }: Problem): string {
  const line = `faultline: ${visibleLine(message)}`;
  return hint === undefined ? line : `${line}\n  ${hint.replaceAll('\n', '\n  ')}`;
}

function usage(terminal: Terminal, message: string, line?: string): number {
  terminal.err(`faultline: ${message}\n${line ?? messages.commandLine.seeHelp}\n`);
  return EXIT.usage;
}

function help(): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  return [
    messages.commandLine.about,
    '',
    ...commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`),
    '',
    messages.commandLine.options,
    '',
  ].join('\n');
}
