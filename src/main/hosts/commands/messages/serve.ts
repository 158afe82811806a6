export const messages = {
  summary: 'show a case in a browser on this machine (loopback only)',
  usage: [
    'faultline serve [CASE] [--port N] [--watch FOLDER]... [--send-secrets]',
    '  --watch FOLDER  plans of the window may follow the logs and dumps in this folder; without it they reach no folder',
    '  --send-secrets  plans of the window may send secrets to any host; without it each new host needs your confirmation on this terminal',
  ].join('\n'),
  open: 'open this address in a browser on this machine; Ctrl-C ends it',
  invalidPort: (port: number) => `invalid --port ${port}: 0 to 65535`,
} as const;
