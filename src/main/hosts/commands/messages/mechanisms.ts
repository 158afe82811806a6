export const messages = {
  summary: 'known cause and effect rules: show the file in use, create your own, check it',
  usage: 'faultline mechanisms [--init | --check | --edit-path] [--json]',
  severalOptions: 'use only one of --init, --check and --edit-path',
  exists: {
    message: (path: string) => `${path} already exists`,
    hint: 'edit it, or move it away first',
  },
  inUse: {
    own: (path: string) => `in use: ${path}`,
    invalid: (path: string) => `in use: the bundled mechanisms, because ${path} is not valid`,
    bundled: 'in use: the bundled mechanisms',
    noFile: (path: string) => `in use: the bundled mechanisms (your own file: ${path})`,
  },
} as const;
