export const messages = {
  summary: 'write a realistic incident: its files, and a case with them imported',
  usage: 'faultline demo [--scenario NAME [--rate N] [--minutes M]] [--dir DIR | DIR]',
  scenarios: (lines: readonly string[]) => `scenarios:\n${lines.join('\n')}`,
  needsScenario: (option: string) => `--${option} needs --scenario`,
  noRequests: (scenario: string) => `${scenario} has no requests, so no --rate`,
  noMinutes: 'worn-parts is of six days: it has no --minutes',
  outOfRange: (option: string, least: number, most: number) => `--${option} must be from ${least} to ${most}`,
  truth: (time: string, subject: string) => `truth: at ${time}, on ${subject}`,
  wroteFiles: (files: number, folder: string) => `wrote ${files} files to ${folder}`,
  wroteCase: (path: string) => `wrote the case ${path}`,
  next: (path: string) => `next: faultline correlate ${path}`,
} as const;
