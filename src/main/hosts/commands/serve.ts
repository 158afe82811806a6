import { type Command, type Invocation, number, UsageError } from './command.ts';

export const serveCommand: Command = {
  name: 'serve',
  summary: 'show a case in a browser on this machine (loopback only)',
  usage: 'faultline serve [CASE] [--port N]',
  options: { port: { type: 'string' } },
  run: async (invocation) => {
    const { terminal } = invocation;
    const host = await terminal.serve(invocation.positionals[0] ?? null, port(invocation));
    terminal.out(`${host.url}\n`);
    terminal.err('open this address in a browser on this machine; Ctrl-C ends it\n');
    await host.closed;
  },
};

function port(invocation: Invocation): number {
  const value = number(invocation, 'port') ?? 0;
  if (Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
  throw new UsageError(`--port is 0 to 65535, not ${value}`);
}
