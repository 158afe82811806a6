import type { LogEvent, Rule } from './rule.ts';

/** Nodes that one line may name: a line about more is about all of a site. */
const MOST_NODES = 1024;

/** Names of a hostlist of Slurm: `gpu-[01-03,07],login` is `gpu-01`, `gpu-02`, `gpu-03`, `gpu-07` and `login`; none if it is malformed. */
export function nodesOf(hostlist: string): string[] {
  if (!/^(?:[^[\]]|\[\d{1,9}(?:-\d{1,9})?(?:,\d{1,9}(?:-\d{1,9})?)*\])+$/.test(hostlist)) return [];
  const names: string[] = [];
  // Commas inside of brackets are of the ranges.
  for (const [whole, prefix = '', ranges, suffix = ''] of hostlist.matchAll(
    /([^,[\]]*)(?:\[([\d,-]*)\])?([^,[\]]*)/g,
  )) {
    if (whole === '') continue;
    if (ranges === undefined) names.push(whole);
    else for (const number of numbersOf(ranges, MOST_NODES - names.length)) names.push(`${prefix}${number}${suffix}`);
    if (names.length >= MOST_NODES) break;
  }
  return names.slice(0, MOST_NODES);
}

/** `01-03,07`: leading zeros are part of the names. */
function numbersOf(ranges: string, most: number): string[] {
  const found: string[] = [];
  for (const range of ranges.split(',')) {
    const [first = '', last = first] = range.split('-');
    for (let n = Number(first); n <= Number(last) && found.length < most; n++)
      found.push(String(n).padStart(first.length, '0'));
  }
  return found;
}

const about = (hostlist: string, message: string, event: Pick<LogEvent, 'type' | 'severity'>): LogEvent => ({
  ...event,
  subject: { kind: 'nodes', names: nodesOf(hostlist) },
  message: message.trim(),
  attributes: {},
});

function ofState(state: string): Pick<LogEvent, 'type' | 'severity'> | undefined {
  if (/^DRAIN/.test(state)) return { type: 'node_draining', severity: 'medium' };
  if (/^(?:DOWN|FAIL)/.test(state)) return { type: 'node_not_ready', severity: 'medium' };
  return /^(?:IDLE|RESUME|ALLOCATED|MIXED)/.test(state) ? { type: 'node_ready', severity: 'low' } : undefined;
}

const ofJob = (id: string, message: string): LogEvent => ({
  type: 'job_cancelled',
  severity: 'medium',
  // The step daemon writes to the output of the job; the controller has a log of its own.
  subject: { kind: 'job', id, isSender: message.startsWith('slurmstepd: ') },
  message: message.trim(),
  attributes: {},
});

/**
 * What Slurm's controller writes of its nodes (slurmctld, `ping_nodes.c`, `node_mgr.c`), and it or its step daemon of jobs that
 * somebody or a limit ended (`proc_req.c`, `job_mgr.c`, `preempt.c`; slurmstepd, `req.c`). A job that ended because its node
 * failed was not cancelled.
 */
export const slurmRules: readonly Rule[] = [
  {
    needles: ['not responding, setting DOWN'],
    pattern: /\bNodes? (\S+) not responding, setting DOWN/,
    read: ([text, nodes = '']) => about(nodes, text, { type: 'node_not_ready', severity: 'high' }),
  },
  {
    needles: ['now responding', 'returned to service'],
    pattern: /\b[Nn]odes? (\S+) (?:now responding|returned to service)/,
    read: ([text, nodes = '']) => about(nodes, text, { type: 'node_ready', severity: 'low' }),
  },
  {
    needles: [' state set to '],
    pattern: /\b(?:update_node|drain_nodes|set_node_down\w*): node (\S+) state set to ([A-Z]+).*/,
    read: ([text, nodes = '', state = '']) => {
      const event = ofState(state);
      return event && about(nodes, text, event);
    },
  },
  {
    needles: ['REQUEST_KILL_JOB'],
    pattern: /\bREQUEST_KILL_JOB JobId=(\d{1,10})\b.*/,
    read: ([text, id = '']) => ofJob(id, text),
  },
  {
    needles: ['Time limit exhausted for JobId=', 'preempted JobId='],
    pattern: /\b(?:Time limit exhausted for|preempted) JobId=(\d{1,10})\b.*/,
    read: ([text, id = '']) => ofJob(id, text),
  },
  {
    needles: [' CANCELLED AT '],
    pattern:
      /(?:slurmstepd: (?:error: )?)?\*\*\* (?:JOB|STEP) (\d{1,10})[.\w+]{0,40} ON \S{1,255} CANCELLED AT (?!.*NODE FAILURE).*/,
    read: ([text, id = '']) => ofJob(id, text),
  },
  {
    // `_job_complete: JobId=1234 WEXITSTATUS 1`; a job whose node failed: `*** STEP 1234.0 ON node-5 CANCELLED AT ... DUE TO NODE FAILURE`.
    needles: [' WEXITSTATUS ', ' WTERMSIG ', 'DUE TO NODE FAILURE'],
    pattern:
      /\bJobId=(\d{1,10})\b(?= (?:WEXITSTATUS [1-9]|WTERMSIG \d)).*|(?:slurmstepd: (?:error: )?)?\*\*\* (?:JOB|STEP) (\d{1,10})\b.*DUE TO NODE FAILURE.*/,
    read: ([text, id, ofStep = '']) => ({ ...ofJob(id ?? ofStep, text), type: 'job_failed', severity: 'high' }),
  },
];
