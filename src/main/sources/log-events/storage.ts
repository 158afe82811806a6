import { type Rule, type Subject, sender } from './rule.ts';

const fileSystem = (match: RegExpExecArray, readOnly: boolean) => ({
  type: 'file_system_full' as const,
  severity: 'high' as const,
  subject: sender,
  message: match[0].trim(),
  attributes: {},
  ...(readOnly ? { details: { qualifiers: ['read_only' as const] } } : {}),
});

/**
 * The server that a client waits for: `nfs: server filer-1 not responding` (net/sunrpc/clnt.c), `Connection to lustre-OST0001 (at
 * 10.0.0.1@tcp) was lost` (lustre/ptlrpc/import.c). An address of Lustre's network is shortened to its host.
 */
function storageNamed(text: string): Subject {
  const nfs = /\bserver (\S+) not responding/.exec(text);
  const lustre = /\(at ([^\s)@]+)@\w+\)/.exec(text);
  const name = (nfs ?? lustre)?.[1];
  return name === undefined ? sender : { kind: 'storage', name };
}

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
      subject: storageNamed(match[0]),
      message: match[0].trim(),
      attributes: {},
    }),
  },
];
