import { type Command, number } from './command.ts';

export const serveCommand: Command = {
  name: 'serve',
  summary: 'show a case in a browser on this machine (loopback only)',
  usage: 'faultline serve [CASE] [--port N]',
  options: { port: { type: 'string' } },
  run: async (invocation) => {
    const { terminal } = invocation;
    const host = await terminal.serve(invocation.positionals[0] ?? null, number(invocation, 'port') ?? 0);
    terminal.out(`${host.url}\n`);
    terminal.err('open this address in a browser on this machine; Ctrl-C ends it\n');
    await host.closed;
  },
};
