import { type Command, type Invocation, number, texts, UsageError } from './command.ts';
import { messages } from './messages/serve.ts';

export const serveCommand: Command = {
  name: 'serve',
  summary: messages.summary,
  usage: messages.usage,
  options: {
    port: { type: 'string' },
    'send-secrets': { type: 'boolean' },
    watch: { type: 'string', multiple: true },
  },
  run: async (invocation) => {
    const { terminal } = invocation;
    terminal.outlastOutput();
    const host = await terminal.serve({
      casePath: invocation.positionals[0] ?? null,
      port: port(invocation),
      watch: texts(invocation, 'watch'),
      sendSecrets: invocation.values['send-secrets'] === true,
    });
    terminal.out(`${host.url}\n`);
    terminal.err(`${messages.open}\n`);
    await host.closed;
  },
};

function port(invocation: Invocation): number {
  const value = number(invocation, 'port') ?? 0;
  if (Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
  throw new UsageError(messages.invalidPort(value));
}
