import { at, event, T0 } from './scenario.ts';

/** A job of 16 ranks on two nodes that stops in its last step, as the files that its operators have. */
export const RANKS = 16;
const GPUS = 8;
const STEPS = 60;
const STEP_S = 2;
/** The rank that stops it. */
export const LOST = 13;
/** When the ranks begin the operation that is never completed, in seconds after T0. */
export const STOP_S = STEPS * STEP_S;

const nodeOf = (rank: number): string => `node-${1 + Math.floor(rank / GPUS)}`;
const addressOf = (rank: number): string => `0000:${(0x1b + 0x10 * (rank % GPUS)).toString(16)}:00`;
/** By its address, as kernel logs name it. */
export const gpuOf = (rank: number): string => `${nodeOf(rank)}/pci-${addressOf(rank)}`;
const nanos = (seconds: number): string => `${T0 + Math.round(seconds * 1000)}000000`;

/** `missing`: the rank does not enter the last operation. `mismatch`: it enters another one. */
export type Stop = 'missing' | 'mismatch';

/** Flight recorder dumps by file name. */
export const dumps = (stop: Stop): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: RANKS }, (_, rank) => [`llm_rank_${rank}.json`, dumpOf(rank, stop)]));

function dumpOf(rank: number, stop: Stop): string {
  const entries = Array.from({ length: STEPS }, (_, step) => operations(rank, step)).flat();
  if (rank !== LOST || stop === 'mismatch') {
    const name = rank === LOST ? 'all_gather' : 'all_reduce';
    entries.push(entryOf({ sequence: entries.length + 1, name, entered: STOP_S + 0.002 * rank }));
  }
  const ranks = `[${Array.from({ length: RANKS }, (_, at) => at).join(', ')}]`;
  const pg_config = `{"0": {"name": "0", "desc": "default_pg", "ranks": "${ranks}"}}`;
  return `{"version": "2.10", "pg_config": ${pg_config}, "pg_status": {}, "entries": [${entries.join(', ')}]}`;
}

/** Of a step: gradients are reduced, then weights are gathered; who comes later waits less. */
function operations(rank: number, step: number): string[] {
  const begin = step * STEP_S;
  const work = 1.2 + 0.05 * ((rank * 7 + step * 3) % 5);
  return [
    entryOf({ sequence: 2 * step + 1, name: 'all_reduce', entered: begin + work, completed: begin + 1.5 }),
    entryOf({ sequence: 2 * step + 2, name: 'all_gather', entered: begin + 1.52, completed: begin + 1.9 }),
  ];
}

interface Operation {
  readonly sequence: number;
  readonly name: string;
  /** Seconds after T0; of one that is not completed, none. */
  readonly entered: number;
  readonly completed?: number;
}

/** Times have more digits than a number of JavaScript. */
const entryOf = ({ sequence, name, entered, completed }: Operation): string =>
  `{"record_id": ${sequence}, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": ${sequence}, "p2p_seq_id": 0,
    "op_id": ${sequence}, "profiling_name": "nccl:${name}", "time_created_ns": ${nanos(entered)}, "input_sizes": [[4096, 5120]],
    "input_dtypes": ["BFloat16"], "output_sizes": [[4096, 5120]], "output_dtypes": ["BFloat16"],
    "state": "${completed === undefined ? 'started' : 'completed'}", "time_discovered_started_ns": ${nanos(entered + 0.001)},
    "time_discovered_completed_ns": ${completed === undefined ? 0 : nanos(completed)}, "retired": ${completed !== undefined},
    "timeout_ms": 600000, "is_p2p": false}`;

/** What lies under the job, and what its devices recorded of the loss of a GPU: kernel log, PDU and Redfish. */
export function underneath(): Readonly<Record<string, string>> {
  const links = Array.from({ length: RANKS }, (_, rank) => [
    `server,${nodeOf(rank)},contains,gpu,${gpuOf(rank)}`,
    `rank,rank-${rank},runs_on,gpu,${gpuOf(rank)}`,
  ]).flat();
  const feeds = ['pdu,PDU-A,feeds,server,node-1', 'pdu,PDU-B,feeds,server,node-2'];
  const sys = (seconds: number, text: string): string =>
    `${at(seconds).replace('Z', '+00:00')} ${nodeOf(LOST)} ${text}`;
  const host = nodeOf(LOST);
  return {
    'topology.csv': ['from_kind,from_id,edge,to_kind,to_id', ...feeds, ...links, ''].join('\n'),
    'power.json': JSON.stringify({
      events: [
        event('sag', STOP_S - 3, 'pdu_snmp', 'voltage_sag', 'PDU-B'),
        event('psu', STOP_S - 2, 'redfish', 'psu_failover', host),
      ],
    }),
    'syslog.log': `${[
      sys(-30, 'systemd[1]: Started Session 12 of user root.'),
      sys(
        STOP_S - 1,
        `kernel: NVRM: Xid (PCI:${addressOf(LOST)}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.`,
      ),
      sys(STOP_S + 30, 'systemd[1]: Started Session 13 of user root.'),
    ].join('\n')}\n`,
  };
}
