import { START_MS, timeAt } from '../incident.ts';
import { attributes, unixNano } from '../otlp.ts';
import { createRandom } from '../random.ts';
import { faultAt_s, type Generated, jsonLines, jsonText, type Scene } from './scene.ts';
import { GPUS, gpuUuid, pciBusId, serverEdges, serverName, topologyText } from './site.ts';

const JOB = 'llm-pretrain';
const SERVERS = 2;
const RANKS = SERVERS * GPUS;
/** The rank whose GPU is lost. */
const LOST = 11;
const LOST_GPU = LOST % GPUS;
/** Its address as the kernel writes it. */
const PCI = pciBusId(LOST_GPU).replace(/^0000|\.0$/g, '');
/** TORCH_NCCL timeout of this job; PyTorch's default is ten minutes. */
const TIMEOUT_S = 180;
const STEP_S = 4;
/** All-reduces of gradient buckets in one step. */
const BUCKETS = 4;
/** Operations that a dump still has: the ring of a flight recorder is bounded. */
const RING = 64;
const EVERY_S = 10;

/** A step of training: its all-reduces start when the slowest rank arrives. */
interface Operation {
  readonly sequence: number;
  /** By rank; null: it never entered. */
  readonly entered_s: readonly (number | null)[];
  readonly ended_s: number | null;
}

/** Training of 16 ranks on two servers, until one GPU is lost and the watchdogs of the others dump their flight recorders. */
export function generateHang(scene: Scene): Generated {
  const lost_s = faultAt_s(scene);
  const run = train(scene, lost_s);
  const hung = run.at(-1)!;
  const expired_s = Math.min(...hung.entered_s.filter((at) => at !== null)) + TIMEOUT_S;
  const waiting = RANKS - 1;
  const files = new Map([
    ['metrics.jsonl.gz', metricsText(scene, lost_s, expired_s)],
    ['topology.csv', topology()],
    [`kernel-${serverName(1)}.log`, kernelLog(lost_s)],
    ['logs.jsonl.gz', logsText(run, expired_s)],
    ...Array.from({ length: RANKS }, (_, rank) => rank)
      .filter((rank) => rank !== LOST)
      .map((rank): [string, string] => [`${JOB}/nccl_trace_rank_${rank}.json`, dump(rank, run)]),
  ]);
  const lines = [
    `GPU ${LOST_GPU} of ${serverName(1)} falls off the bus (Xid 79), and rank ${LOST} of ${JOB} goes with it`,
    `${waiting} ranks wait in all-reduce ${hung.sequence} from ${timeAt(Math.min(...hung.entered_s.filter((at) => at !== null)))}; rank ${LOST} never enters it`,
    `the watchdogs time out after ${TIMEOUT_S} s, at ${timeAt(expired_s)}, and dump ${waiting} flight recorders`,
  ];
  return { files, truth: { at_s: lost_s, subject: `gpu:${gpuUuid(1, LOST_GPU)}`, lines } };
}

function train(scene: Scene, lost_s: number): Operation[] {
  const random = createRandom(scene.seed);
  const operations: Operation[] = [];
  let at = 0;
  for (let sequence = 1; ; sequence++) {
    const compute = STEP_S / BUCKETS - 0.1;
    const entered_s = Array.from({ length: RANKS }, () => at + compute * random.around(1, 0.02));
    const isLost = entered_s[LOST]! >= lost_s;
    const ended_s = Math.max(...entered_s) + 0.1;
    operations.push({
      sequence,
      entered_s: entered_s.map((enters, rank) => (isLost && rank === LOST ? null : enters)),
      ended_s: isLost ? null : ended_s,
    });
    if (isLost) return operations;
    at = ended_s;
  }
}

const topology = (): string =>
  topologyText([
    ...serverEdges(SERVERS),
    ...Array.from({ length: RANKS }, (_, rank) => [
      ['rank', `${JOB}/rank-${rank}`, 'member_of', 'job', JOB] as const,
      ['rank', `${JOB}/rank-${rank}`, 'runs_on', 'gpu', gpuUuid(Math.floor(rank / GPUS), rank % GPUS)] as const,
    ]).flat(),
  ]);

/** Syslog with the times of RFC 3339, as rsyslog writes it. */
function kernelLog(lost_s: number): string {
  const line = (at_s: number, text: string): string =>
    `${timeAt(at_s).replace('Z', '000+00:00')} ${serverName(1)} kernel: ${text}`;
  const lines = [
    line(4, 'nvidia-nvlink: Nvlink Core is being initialized, major device number 511'),
    line(lost_s, `NVRM: Xid (PCI:${PCI}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.`),
    line(lost_s + 0.001, `NVRM: GPU ${PCI}.0: GPU has fallen off the bus.`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Waiting ranks spin in the kernel of NCCL: their GPUs are all utilized, at little power. */
function metricsText(scene: Scene, lost_s: number, expired_s: number): string {
  const random = createRandom(scene.seed + 1);
  const state = (at_s: number) => {
    if (at_s < lost_s) return { utilization: 97, power: 612 };
    return at_s < expired_s ? { utilization: 100, power: 196 } : { utilization: 0, power: 92 };
  };
  const ranksAt = (at_s: number): number[] =>
    Array.from({ length: RANKS }, (_, rank) => rank).filter((rank) => rank !== LOST || at_s < lost_s);
  const gauge = (name: string, minute: number, server: number, value: (at_s: number) => number) => ({
    name,
    gauge: {
      dataPoints: Array.from({ length: 60 / EVERY_S }, (_, i) => minute * 60 + i * EVERY_S).flatMap((at_s) =>
        ranksAt(at_s)
          .filter((rank) => Math.floor(rank / GPUS) === server)
          .map((rank) => ({
            attributes: attributes({
              gpu: String(rank % GPUS),
              UUID: gpuUuid(server, rank % GPUS),
              modelName: 'NVIDIA H100 80GB HBM3',
              Hostname: serverName(server),
              pci_bus_id: pciBusId(rank % GPUS),
            }),
            timeUnixNano: unixNano(at_s),
            asDouble: Math.round(value(at_s) * 10) / 10,
          })),
      ),
    },
  });
  return jsonLines(
    Array.from({ length: scene.minutes }, (_, minute) => ({
      resourceMetrics: Array.from({ length: SERVERS }, (__, server) => ({
        resource: { attributes: attributes({ 'service.name': 'dcgm-exporter', 'host.name': serverName(server) }) },
        scopeMetrics: [
          {
            scope: { name: 'dcgm' },
            metrics: [
              gauge('DCGM_FI_DEV_GPU_UTIL', minute, server, (at) => state(at).utilization),
              gauge('DCGM_FI_DEV_POWER_USAGE', minute, server, (at) => state(at).power + 6 * random.normal()),
            ],
          },
        ],
      })),
    })),
  );
}

/** The log of rank 0: its steps, and what its watchdog writes. */
function logsText(run: readonly Operation[], expired_s: number): string {
  const steps = run
    .filter(({ sequence, ended_s }) => sequence % BUCKETS === 0 && ended_s !== null)
    .map(({ sequence, ended_s }) => {
      const step = sequence / BUCKETS;
      return {
        at_s: ended_s!,
        severity: 9,
        text: `step ${step} loss ${(2.4 + 3 / Math.sqrt(step)).toFixed(4)} step_time ${STEP_S.toFixed(2)} s`,
      };
    });
  const timeout = {
    at_s: expired_s,
    severity: 17,
    text: `[rank0]:[E ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=${run.at(-1)!.sequence}, OpType=ALLREDUCE, NumelIn=67108864, NumelOut=67108864, Timeout(ms)=${TIMEOUT_S * 1000}) ran for ${TIMEOUT_S * 1000 + 64} milliseconds before timing out.`,
  };
  return jsonLines([
    {
      resourceLogs: [
        {
          resource: {
            attributes: attributes({
              'service.name': JOB,
              'host.name': serverName(0),
              'training.job_id': JOB,
              rank: 0,
              world_size: RANKS,
            }),
          },
          scopeLogs: [
            {
              scope: { name: 'trainer' },
              logRecords: [...steps, timeout].map(({ at_s, severity, text }) => ({
                timeUnixNano: unixNano(at_s),
                severityNumber: severity,
                body: { stringValue: text },
              })),
            },
          ],
        },
      ],
    },
  ]);
}

/** What TORCH_NCCL_DUMP_ON_TIMEOUT leaves of a rank, as JSON (torch.distributed flight recorder, version 2.9). */
function dump(rank: number, run: readonly Operation[]): string {
  const hung = run.at(-1)!;
  const nanos = (at_s: number): number => START_MS * 1e6 + Math.round(at_s * 1e9);
  const ranks = `[${Array.from({ length: RANKS }, (_, i) => i).join(', ')}]`;
  return jsonText({
    version: '2.9',
    nccl_version: '2.27.3',
    pg_config: { 0: { name: '0', desc: 'default_pg', ranks } },
    pg_status: {
      0: {
        last_enqueued_collective: String(hung.sequence),
        last_started_collective: String(hung.sequence),
        last_completed_collective: String(hung.sequence - 1),
      },
    },
    entries: run.slice(-RING).map(({ sequence, entered_s, ended_s }) => ({
      record_id: sequence - 1,
      pg_id: 0,
      process_group: ['0', 'default_pg'],
      collective_seq_id: sequence,
      p2p_seq_id: 0,
      op_id: sequence,
      profiling_name: 'nccl:all_reduce',
      time_created_ns: nanos(entered_s[rank]!),
      input_sizes: [[67108864]],
      input_dtypes: ['BFloat16'],
      output_sizes: [[67108864]],
      output_dtypes: ['BFloat16'],
      state: ended_s === null ? 'started' : 'completed',
      time_discovered_started_ns: nanos(entered_s[rank]! + 0.001),
      time_discovered_completed_ns: ended_s === null ? null : nanos(ended_s),
      retired: ended_s !== null,
      timeout_ms: TIMEOUT_S * 1000,
      is_p2p: false,
    })),
  });
}
