export const messages = {
  summary: 'write a realistic incident: its files, and a case with them imported',
  usage: 'faultline demo [--dir DIR]',
  wroteFiles: (files: number, folder: string) => `wrote ${files} files to ${folder}`,
  wroteCase: (path: string) => `wrote the case ${path}`,
  next: (path: string) => `next: faultline correlate ${path}`,
} as const;
