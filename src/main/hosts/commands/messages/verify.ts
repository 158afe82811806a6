export const messages = {
  summary: 'check that a bundle is unchanged',
  usage: [
    'faultline verify BUNDLE.flb [--key PUBLIC.pem]',
    '  --key: require a signature with this key (Ed25519); exit code 0: unchanged, 1: changed, 2: usage',
  ].join('\n'),
  changed: (path: string, differences: number) =>
    `${path} was changed: ${differences} ${differences === 1 ? 'difference' : 'differences'}`,
  unchanged: (name: string, rows: number, tables: number, root: string) =>
    `unchanged: case ${name}, ${rows} rows in ${tables} tables, root ${root}`,
  notSigned: 'not signed: trust this result only if the root hash comes from a trusted source',
  signed: (key: string) => `signed with the key ${key}; check it with --key PUBLIC.pem`,
  signedAsRequested: (key: string) => `signed with the requested key ${key}`,
} as const;
