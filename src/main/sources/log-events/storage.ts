import { type Rule, sender } from './rule.ts';

const fileSystem = (match: RegExpExecArray, readOnly: boolean) => ({
  type: 'file_system_full' as const,
  severity: 'high' as const,
  subject: sender,
  message: match[0].trim(),
  attributes: {},
  ...(readOnly ? { details: { qualifiers: ['read_only' as const] } } : {}),
});

/** Texts of file systems: errno messages of libc, ext4 and XFS, and the NFS and Lustre clients of Linux. */
export const storageRules: readonly Rule[] = [
  {
    needles: ['No space left on device', 'isk quota exceeded'],
    pattern: /^.*(?:No space left on device|[Dd]isk quota exceeded).*$/m,
    // Exhausted inotify watches have the same message.
    read: (match) => (/inotify|file watch/i.test(match[0]) ? undefined : fileSystem(match, false)),
  },
  {
    needles: ['emounting filesystem read-only'],
    pattern: /^.*Remounting filesystem read-only.*$/m,
    read: (match) => fileSystem(match, true),
  },
  {
    needles: ['not responding, still trying', 'not responding, timed out', 'in progress operations using this service'],
    pattern:
      /^.*(?:not responding, (?:still trying|timed out)|in progress operations using this service will wait for recovery).*$/m,
    read: (match) => ({
      type: 'storage_not_responding',
      severity: 'high',
      subject: sender,
      message: match[0].trim(),
      attributes: {},
    }),
  },
];
