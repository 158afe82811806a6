import { timeAt } from '../incident.ts';
import { createRandom } from '../random.ts';
import { type Generated, jsonText, type Scene } from './scene.ts';
import { GPUS, gpuUuid, pciBusId, serverEdges, serverName, topologyText } from './site.ts';

const SERVERS = 2;
const DAYS = 6;
const DAY_S = 86_400;
const HOUR_S = 3600;
/** Seconds between queries of nvidia-smi. */
const EVERY_S = 1200;
/** The GPU that wears out, and its address as the kernel writes it. */
const WORN = { server: 1, gpu: 5 } as const;
const PCI = pciBusId(WORN.gpu).replace(/^0000|\.0$/g, '');
/** Of the GPU that replaces it. */
const SPARE_UUID = 'GPU-000000ff-0000-4000-8000-000000000005';

/** Seconds after the start. */
const times = {
  errors: 1.0 * DAY_S,
  remapped: 2.4 * DAY_S,
  fault: 3.3 * DAY_S,
  reset: 3.3 * DAY_S + 1.5 * HOUR_S,
  failed: 4.2 * DAY_S,
  replaced: 4.2 * DAY_S + 7 * HOUR_S,
  firmware: 5.1 * DAY_S,
} as const;
const REBOOT_S = 0.6 * HOUR_S;

const firmware = { before: '96.00.74.00.1A', after: '96.00.89.00.01' } as const;
const driver = { before: '570.124.06', after: '570.158.01' } as const;

/** Six days of two servers: one GPU wears out, is reset, and is replaced; the firmware of the other server is changed. */
export function generateWornParts(scene: Scene): Generated {
  const files = new Map([
    ['topology.csv', topologyText(serverEdges(SERVERS))],
    ...Array.from({ length: SERVERS }, (_, server): [string, string] => [
      `nvidia-smi-${serverName(server)}.csv`,
      queriesText(server, scene.seed + server),
    ]),
    [`kernel-${serverName(WORN.server)}.log`, kernelLog()],
    ['maintenance.json', maintenanceText()],
  ]);
  const uuid = gpuUuid(WORN.server, WORN.gpu);
  const lines = [
    `corrected memory errors of ${uuid} grow from ${timeAt(times.errors)}; rows are remapped at ${timeAt(times.remapped)}`,
    `an uncorrected error at ${timeAt(times.fault)}, and again at ${timeAt(times.failed)}, when no row is left to remap`,
    `${SPARE_UUID} has its place from ${timeAt(times.replaced)}`,
    `${serverName(0)} gets VBIOS ${firmware.after} and driver ${driver.after} at ${timeAt(times.firmware)}`,
  ];
  return { files, truth: { at_s: times.errors, subject: `gpu:${uuid}`, lines } };
}

const columns = [
  'timestamp',
  'hostname',
  'index',
  'uuid',
  'serial',
  'pci.bus_id',
  'name',
  'vbios_version',
  'driver_version',
  'temperature.gpu',
  'power.draw [W]',
  'utilization.gpu [%]',
  'clocks.sm [MHz]',
  'ecc.errors.corrected.aggregate.total',
  'ecc.errors.uncorrected.aggregate.total',
  'remapped_rows.correctable',
  'remapped_rows.uncorrectable',
  'remapped_rows.pending',
  'remapped_rows.failure',
] as const;

/** What `nvidia-smi --query-gpu=... --format=csv` printed every twenty minutes. */
function queriesText(server: number, seed: number): string {
  const random = createRandom(seed);
  const errors = new Array<number>(GPUS).fill(0);
  const rows: string[] = [];
  for (let at_s = 0; at_s < DAYS * DAY_S; at_s += EVERY_S)
    for (let gpu = 0; gpu < GPUS; gpu++) {
      errors[gpu] = errors[gpu]! + errorsAt(server, gpu, at_s) + Number(random.next() < 0.004);
      const busy = 0.9 + 0.08 * Math.sin(at_s / 7000 + gpu);
      const load = { temperature: 52 + 14 * busy + random.normal(), power: 110 + 520 * busy + 8 * random.normal() };
      if (isRunning(server, gpu, at_s)) rows.push(rowOf({ server, gpu, at_s, busy, ...load, corrected: errors[gpu]! }));
    }
  return `${columns.join(', ')}\n${rows.join('\n')}\n`;
}

const isWorn = (server: number, gpu: number): boolean => server === WORN.server && gpu === WORN.gpu;
const isSpare = (server: number, gpu: number, at_s: number): boolean => isWorn(server, gpu) && at_s >= times.replaced;

/** Corrected errors since the query before: of the worn GPU ever more. */
function errorsAt(server: number, gpu: number, at_s: number): number {
  if (!isWorn(server, gpu) || at_s < times.errors || at_s >= times.failed) return 0;
  return Math.round(2 ** ((at_s - times.errors) / (0.45 * DAY_S)));
}

/** A server answers no query while it is restarted, and the place of a removed GPU is empty. */
function isRunning(server: number, gpu: number, at_s: number): boolean {
  const restarts: readonly number[] =
    server === WORN.server ? [times.reset, times.replaced - REBOOT_S] : [times.firmware];
  if (restarts.some((restart) => at_s >= restart && at_s < restart + REBOOT_S)) return false;
  return !(isWorn(server, gpu) && at_s >= times.failed && at_s < times.replaced);
}

interface Queried {
  readonly server: number;
  readonly gpu: number;
  readonly at_s: number;
  readonly busy: number;
  readonly temperature: number;
  readonly power: number;
  readonly corrected: number;
}

function rowOf({ server, gpu, at_s, busy, temperature, power, corrected }: Queried): string {
  const isNew = isSpare(server, gpu, at_s);
  const isChanged = server === 0 && at_s >= times.firmware;
  const worn = isWorn(server, gpu) && !isNew;
  const cells = [
    timeAt(at_s).replace('T', ' ').replaceAll('-', '/').replace('Z', ''),
    serverName(server),
    gpu,
    isNew ? SPARE_UUID : gpuUuid(server, gpu),
    isNew ? '1650526027714' : `16505240${String(19000 + 100 * server + gpu)}`,
    pciBusId(gpu),
    'NVIDIA H100 80GB HBM3',
    isChanged ? firmware.after : firmware.before,
    isChanged ? driver.after : driver.before,
    Math.round(temperature),
    `${power.toFixed(2)} W`,
    `${Math.round(100 * busy)} %`,
    '1980 MHz',
    isNew ? 0 : corrected,
    worn ? Number(at_s >= times.fault) : 0,
    worn ? 2 * Number(at_s >= times.remapped) : 0,
    worn ? Number(at_s >= times.fault) : 0,
    worn && at_s >= times.fault && at_s < times.reset ? 'Yes' : 'No',
    'No',
  ];
  return cells.join(', ');
}

function kernelLog(): string {
  const line = (at_s: number, text: string): string =>
    `${timeAt(at_s).replace('Z', '000+00:00')} ${serverName(WORN.server)} kernel: NVRM: Xid (PCI:${PCI}): ${text}`;
  const lines = [
    line(times.errors + 0.9 * DAY_S, "92, pid='<unknown>', name=<unknown>, High single-bit ECC error rate"),
    line(
      times.remapped,
      "63, pid='<unknown>', name=<unknown>, Row Remapper: New row marked for remapping, reset gpu to activate.",
    ),
    line(times.fault, "48, pid='<unknown>', name=<unknown>, DBE (double bit error) ECC Error"),
    line(
      times.fault + 0.4,
      "63, pid='<unknown>', name=<unknown>, Row Remapper: New row marked for remapping, reset gpu to activate.",
    ),
    line(times.failed, "48, pid='<unknown>', name=<unknown>, DBE (double bit error) ECC Error"),
    line(
      times.failed + 0.3,
      "64, pid='<unknown>', name=<unknown>, Row Remapper: Error: All reserved rows for bank are remapped",
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** What the people and programs that looked after the servers recorded. */
function maintenanceText(): string {
  const worn = serverName(WORN.server);
  const other = serverName(0);
  const steps: readonly (readonly [at_s: number, type: string, device: string, message: string])[] = [
    [times.fault + 40, 'health_check_failed', worn, `GPU ${WORN.gpu}: uncorrected memory error`],
    [times.fault + 65, 'node_quarantined', worn, 'cordoned: GPU memory error'],
    [times.fault + 90, 'node_draining', worn, 'waiting for the job to save a checkpoint'],
    [times.reset - 300, 'node_drained', worn, 'no pod is left'],
    [times.reset, 'node_remediated', worn, 'restarted, which resets the GPU and activates remapped rows'],
    [times.reset + REBOOT_S, 'node_unquarantined', worn, 'back in service'],
    [times.failed + 35, 'health_check_failed', worn, `GPU ${WORN.gpu}: row remapping failed`],
    [times.failed + 60, 'node_quarantined', worn, 'cordoned: GPU is to be replaced'],
    [times.failed + 1500, 'node_drained', worn, 'no pod is left'],
    [times.replaced - REBOOT_S, 'node_remediated', worn, `GPU ${WORN.gpu} replaced from stock`],
    [times.replaced + 900, 'node_unquarantined', worn, 'burn-in passed, back in service'],
    [times.firmware - 600, 'node_quarantined', other, `maintenance: VBIOS ${firmware.after}`],
    [times.firmware - 60, 'node_drained', other, 'no pod is left'],
    [times.firmware, 'node_remediated', other, 'firmware written, restarted'],
    [times.firmware + REBOOT_S + 300, 'node_unquarantined', other, 'back in service'],
  ];
  return jsonText({
    events: steps.map(([at_s, type, device_id, raw_message], i) => ({
      id: `evt_${String(i + 1).padStart(3, '0')}`,
      timestamp: timeAt(at_s),
      source: 'fleet-operator',
      type,
      severity: type === 'health_check_failed' ? 'high' : 'low',
      device_id,
      raw_message,
      metadata: {},
    })),
  });
}
