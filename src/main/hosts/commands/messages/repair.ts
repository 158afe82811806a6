export const messages = {
  summary: 'copy all readable data of a damaged case into a new case',
  usage: [
    'faultline repair CASE [--out NEW.faultline] [--json]',
    '  the damaged case is not changed; exit code 1 if no part can be recovered',
  ].join('\n'),
  recovered: (path: string, recovered: number, sources: number) =>
    `${path}: ${recovered} of ${sources} sources recovered`,
  lostSource: (name: string, digest: string) => `lost: ${name} (${digest}): import its file again`,
  lostWrites: 'lost: the last writes, which are unreadable',
  lostAnnotations: (count: number) => `lost: ${count} unreadable annotations`,
} as const;
