import { type Command, type Invocation, number, UsageError } from './command.ts';

export const serveCommand: Command = {
  name: 'serve',
  summary: 'show a case in a browser on this machine (loopback only)',
  usage:
    'faultline serve [CASE] [--port N] [--send-secrets]\n' +
    '  --send-secrets  plans of the window may send secrets to any host; without it each new host needs your confirmation on this terminal',
  options: { port: { type: 'string' }, 'send-secrets': { type: 'boolean' } },
  run: async (invocation) => {
    const { terminal } = invocation;
    terminal.outlastOutput();
    const host = await terminal.serve({
      casePath: invocation.positionals[0] ?? null,
      port: port(invocation),
      sendSecrets: invocation.values['send-secrets'] === true,
    });
    terminal.out(`${host.url}\n`);
    terminal.err('open this address in a browser on this machine; Ctrl-C ends it\n');
    await host.closed;
  },
};

function port(invocation: Invocation): number {
  const value = number(invocation, 'port') ?? 0;
  if (Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
  throw new UsageError(`invalid --port ${value}: 0 to 65535`);
}
