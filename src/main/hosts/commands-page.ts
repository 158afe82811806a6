import { commands } from './commands/index.ts';

/** docs/commands.md: every command as `--help` prints it. */
export const commandsPage = (): string =>
  `${[
    '# Commands',
    '`faultline COMMAND --help` prints the same. Notes on each, exit codes and an example: [command-line.md](command-line.md). `scripts/commands-page.ts` writes this page.',
    ...commands.map(({ name, summary, usage }) => `## ${name}\n\n${sentence(summary)}\n\n\`\`\`\n${usage}\n\`\`\``),
  ].join('\n\n')}\n`;

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
