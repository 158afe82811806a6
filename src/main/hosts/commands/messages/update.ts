export const messages = {
  summary: 'whether a list of releases names a newer version; installs nothing',
  usage: [
    'faultline update --check FILE|URL [--json]',
    '  FILE|URL: the JSON that a forge answers with for the releases of a repository; only this address is asked, once',
  ].join('\n'),
  place: '--check FILE|URL',
  newer: (version: string, own: string) => `there is a newer version: ${version} (this is ${own})`,
  notes: (address: string) => `  ${address}`,
  newest: (own: string) => `no version is newer than this one (${own})`,
} as const;
