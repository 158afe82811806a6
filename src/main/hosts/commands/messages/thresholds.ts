export const messages = {
  summary: 'thresholds of the patterns: print them as a file, create your own, check it',
  usage: [
    'faultline thresholds [--thresholds FILE] [--init | --check | --edit-path] [--json]',
    '  without options   prints the thresholds in use, with their defaults, ranges and meanings',
    '  --init            writes them to your own file, which every command and window then uses',
    '  --check           exit code 1 if the file is not valid',
  ].join('\n'),
  severalOptions: 'use only one of --init, --check and --edit-path',
  exists: {
    message: (path: string) => `${path} already exists`,
    hint: 'edit it, or move it away first',
  },
  valid: 'valid',
  noFile: 'no file of your own: the defaults are in use',
} as const;
