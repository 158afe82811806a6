import type { TestCore } from '../support/core.ts';
import { logContainers } from './log-containers.ts';
import { type LogContainer, type LogFact, MACHINE, PROGRAM } from './log-fact.ts';
import { type Part, rowsOf, START } from './matrix.ts';

const gpu = `${MACHINE}/pci-0000:3b:00`;

type Row = readonly [text: string, type: string, device: string];
const anyKernel: readonly Row[] = [
  ['NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.', 'xid_error', gpu],
  ['NVRM: Xid (PCI:0000:3b:00): 94, pid=77, name=python3, Contained: CE User Channel (0x9).', 'xid_error', gpu],
  [
    'NVRM: Xid (PCI:0000:3b:00): 48, pid=77, An uncorrectable double bit error (DBE) has been detected.',
    'xid_error',
    gpu,
  ],
  [
    'NVRM: Xid (PCI:0000:3b:00): 63, pid=77, Row Remapper: New row marked for remapping, reset gpu to activate.',
    'xid_error',
    gpu,
  ],
  [
    'nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up',
    'nvswitch_error',
    `${MACHINE}/nvswitch-0000:c1:00`,
  ],
  ['pcieport 0000:3a:00.0: AER: Corrected error received: 0000:3b:00.0', 'pcie_error', `${MACHINE}/pci-0000:3b:00`],
  ['Out of memory: Killed process 4711 (python3) total-vm:90000kB, anon-rss:80000kB', 'out_of_memory', MACHINE],
  ['EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#0_DIMM#0', 'memory_error', MACHINE],
  ['EDAC MC0: 3 CE memory read error on CPU_SrcID#0_MC#0_Chan#0_DIMM#0', 'memory_error', MACHINE],
  ['mce: [Hardware Error]: Machine check events logged', 'machine_check', MACHINE],
  [
    'CPU12: Core temperature above threshold, cpu clock throttled (total events = 1)',
    'thermal_throttle',
    `${MACHINE}/cpu12`,
  ],
  ['Kernel panic - not syncing: Fatal machine check', 'host_degradation', MACHINE],
  ['watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [python3:77]', 'host_degradation', MACHINE],
  ['INFO: task python3:77 blocked for more than 120 seconds.', 'process_event', MACHINE],
  ['blk_update_request: I/O error, dev nvme1n1, sector 1234 op 0x0', 'drive_failure', MACHINE],
];
const onlyKernel: readonly Row[] = [
  ['mlx5_core 0000:5e:00.0 eth2: Link down', 'link_down', `${MACHINE}/eth2`],
  ['mlx5_core 0000:5e:00.0 eth2: Link up', 'link_up', `${MACHINE}/eth2`],
  ['nvme nvme3: controller is down; will reset: CSTS=0xffffffff', 'drive_failure', MACHINE],
];
const byProgram: readonly Row[] = [
  [
    '[rank3]:[E501 14:04:20.123 ProcessGroupNCCL.cpp:632] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=77, OpType=ALLREDUCE) ran for 600000 milliseconds',
    'collective_timeout',
    'rank-3',
  ],
  ['RuntimeError: DataLoader worker (pid 77) is killed by signal: Killed.', 'data_loader_failed', ''],
  ['torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB', 'gpu_out_of_memory', ''],
];

const facts: readonly LogFact[] = [
  ...anyKernel.map((row) => ({ row, writer: 'kernel' as const, needsKernel: false })),
  ...onlyKernel.map((row) => ({ row, writer: 'kernel' as const, needsKernel: true })),
  ...byProgram.map((row) => ({ row, writer: 'program' as const, needsKernel: false })),
].map(({ row: [text, type, device], ...more }, i) => ({
  ...more,
  name: `${type}: ${text.length > 60 ? `${text.slice(0, 57)}...` : text}`,
  text,
  at: START + i * 60,
  type,
  device,
}));

async function answers(core: TestCore, asked: readonly LogFact[]): Promise<readonly unknown[]> {
  const events = await rowsOf(core, 'select time_ns::varchar, type, device_id from events order by time_ns, type');
  return asked.map(({ at }) =>
    events.filter(([time]) => String(time).slice(0, 10) === String(at)).map(([, type, device]) => [type, device]),
  );
}

/** Lines of logs in every container of logs. */
export const logs: Part<LogFact, LogContainer> = {
  title: 'Lines of logs',
  facts,
  containers: logContainers,
  answers,
  wanted: ({ type, device, writer }, { sender }) => {
    if (writer === 'kernel') return [[type, device]];
    // A rank of an unnamed job is called after its service, where there is one.
    if (device !== '') return [[type, sender === 'service' ? `${PROGRAM}/${device}` : device]];
    return [[type, sender === 'service' ? PROGRAM : MACHINE]];
  },
};
