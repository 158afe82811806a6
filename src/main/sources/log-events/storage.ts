import { type LogEvent, type Rule, type Subject, sender } from './rule.ts';

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
  const nfs = /\bserver (\S{1,200}) (?:not responding|OK\b)/.exec(text);
  const lustre = /\(at ([^\s)@]{1,200})@\w+\)/.exec(text);
  const name = (nfs ?? lustre)?.[1];
  return name === undefined ? sender : { kind: 'storage', name };
}

const ofStorage =
  (type: 'storage_not_responding' | 'storage_restored') =>
  (match: RegExpExecArray): LogEvent => ({
    type,
    severity: type === 'storage_restored' ? 'low' : 'high',
    subject: storageNamed(match[0]),
    message: match[0].trim(),
    attributes: {},
  });
const hangs = ofStorage('storage_not_responding');
const answers = ofStorage('storage_restored');

/**
 * Clients and servers of network file systems: NFS and Lustre of Linux, Ceph (kernel client and cluster log), IBM Storage Scale
 * (GPFS), WEKA, BeeGFS, iSCSI and multipath.
 */
const networkStorage: readonly Rule[] = [
  {
    needles: ['not responding, still trying', 'not responding, timed out', 'in progress operations using this service'],
    pattern:
      /^.*(?:not responding, (?:still trying|timed out)|in progress operations using this service will wait for recovery).*$/m,
    read: hangs,
  },
  { needles: ['nfs: server '], pattern: /^.*nfs: server \S{1,200} OK\b.*$/m, read: answers },
  { needles: ['Lustre: '], pattern: /^.*Lustre: \S{1,200}: Connection restored to .*$/m, read: answers },
  {
    needles: ['LustreError: ', 'Lustre: '],
    pattern:
      /^.*Lustre(?:Error)?: .{0,200}(?:Request sent has (?:timed out|failed due to network error)|slow reply|was evicted|Connection to \S{1,100}(?: \(at \S{1,100}\))? was lost).*$/m,
    read: hangs,
  },
  {
    needles: ['slow request', 'slow ops', 'SLOW_OPS'],
    pattern:
      /^(?!.*\b(?:Health check cleared|0 slow (?:ops|requests))).*(?:\bslow requests?\b.*\b(?:blocked|osd|sec)|\bslow ops\b|SLOW_OPS).*$/m,
    read: (match) => (/\b(?:ceph|osd|mds|mon|cluster|rados|SLOW_OPS)\b/i.test(match[0]) ? hangs(match) : undefined),
  },
  {
    needles: ['Health check cleared: '],
    pattern: /^.*Health check cleared: (?:SLOW_OPS|MDS_SLOW|OSD_DOWN|PG_AVAILABILITY).*$/m,
    read: answers,
  },
  {
    needles: ['libceph: ', 'ceph: ', 'rbd: '],
    pattern:
      /^.*(?:libceph: (?:osd|mds|mon)\d+ .*(?:down|socket closed|socket error|connection (?:failed|reset))|ceph: mds\d+ (?:hung|caps stale)|rbd: .*(?:timed out|blocklisted)).*$/m,
    read: hangs,
  },
  {
    needles: ['ceph: mds'],
    pattern: /^.*ceph: mds\d+ (?:recovery completed|caps renewed|came back).*$/m,
    read: answers,
  },
  {
    needles: ['mmfs:', 'mmfsd', 'GPFS:', 'GPFS '],
    pattern:
      /^.*(?:mmfs|GPFS).*(?:long ?waiter|Disk failure|lost (?:membership|connection)|being expelled|Unable to contact|deadlock detected|I\/O (?:hang|timeout)).*$/im,
    read: hangs,
  },
  {
    needles: ['wekafs', 'weka:', 'weka ', 'weka-', 'WEKA:'],
    pattern:
      /^.*weka\w*\b.*\b(?:I\/?Os? (?:is |are )?(?:hang\w*|hung|stuck|stalled)|hung for|not responding|disconnected from|lost connection).*$/im,
    read: hangs,
  },
  {
    needles: ['beegfs', 'BeeGFS'],
    pattern:
      /^.*beegfs.*(?:Communication error|Communication timed ?out|Retrying communication|Unable to connect).*$/im,
    read: hangs,
  },
  {
    needles: ['session recovery timed out', 'detected conn error', 'remaining active paths: 0', 'Fail all paths'],
    pattern: /^.*(?:session recovery timed out|detected conn error|remaining active paths: 0|Fail all paths).*$/m,
    read: hangs,
  },
];

/** Texts of file systems: errno messages of libc, ext4 and XFS, and the words of network storage clients. */
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
  ...networkStorage,
];
