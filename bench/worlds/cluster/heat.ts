import {
  GPU_FULL_RISE_K,
  GPU_HARD_SLOWDOWN_C,
  GPU_SHUTDOWN_C,
  GPU_SLOWDOWN_C,
  GPU_TAU_S,
  INLET_WARNING_C,
  POWER_EXPONENT,
  STEP_S,
} from './constants.ts';
import { type GpuState, gpuOf, type State } from './state.ts';

const IDLE_SHARE = 0.1;
const CPU_W = 240;

/** Air of the rows, then every machine that works: power, clocks, temperatures. */
export function stepHeat(state: State, working: readonly number[]): void {
  for (const i of state.rows.keys()) stepRow(state, i);
  for (const i of working) stepServer(state, i);
}

/**
 * Warmer return air lets the units that run carry more: with half of the units the row settles about 25 K higher, it does
 * not warm for ever.
 */
function stepRow(state: State, i: number): void {
  const [row, built] = [state.rows[i]!, state.site.rows[i]!];
  const share = row.running.filter(Boolean).length / built.needed;
  const above = row.inlet_c - built.setpoint_c;
  const surplus = 1 - share * (1 + 0.04 * above);
  if (surplus > 0) row.inlet_c += (built.warming / 60) * surplus * STEP_S;
  else row.inlet_c -= (above / 240) * STEP_S;
  if (row.inlet_c > built.setpoint_c + 6 !== row.hot) {
    row.hot = !row.hot;
    const subject = { kind: 'cooling' as const, id: built.units[0]! };
    state.note(row.hot ? 'row_hot' : 'row_cool', subject, { values: { celsius: Math.round(row.inlet_c) } });
  }
}

function stepServer(state: State, i: number): void {
  const [server, built] = [state.servers[i]!, state.site.servers[i]!];
  const inlet_c = state.rows[built.row]!.inlet_c;
  if (!server.on) {
    server.load_w = 0;
    for (const gpu of server.gpus) gpu.celsius += (inlet_c - gpu.celsius) * (STEP_S / (4 * GPU_TAU_S));
    return;
  }
  if (inlet_c > INLET_WARNING_C + (server.hot ? -2 : 0) !== server.hot) {
    server.hot = !server.hot;
    state.noteAt(server.hot ? 'inlet_hot' : 'inlet_cool', i, undefined, { celsius: Math.round(inlet_c) });
  }
  const limit_w = server.supplies.filter(({ works }) => works).length * built.supply_w;
  const dynamic =
    server.gpus.reduce((sum, { util, lost }) => sum + (lost ? 0 : util), 0) * built.gpu_w * (1 - IDLE_SHARE);
  const fixed = built.idle_w + server.gpus.length * IDLE_SHARE * built.gpu_w;
  const left = limit_w - fixed - CPU_W * server.cpu;
  const brake = dynamic > 0 ? Math.max(0.15, Math.min(1, Math.sqrt(Math.max(0, left) / dynamic))) : 1;
  server.cpu_clock =
    dynamic > 0 ? 1 : Math.max(0.3, Math.min(1, (limit_w - fixed) / (CPU_W * Math.max(0.05, server.cpu))));
  const held = Math.min(brake, server.cpu_clock);
  if (held < (server.braked ? 0.995 : 0.98) !== server.braked) {
    server.braked = !server.braked;
    state.noteAt(server.braked ? 'brake_on' : 'brake_off', i, undefined, { watts: Math.round(limit_w) });
  }
  let watts = built.idle_w + CPU_W * server.cpu * server.cpu_clock;
  server.gpus.forEach((gpu, k) => {
    stepGpu(state, { i, k, gpu, brake, inlet_c });
    watts += gpu.watts;
  });
  server.load_w = watts;
}

interface Slot {
  readonly i: number;
  readonly k: number;
  readonly gpu: GpuState;
  readonly brake: number;
  readonly inlet_c: number;
}

function stepGpu(state: State, { i, k, gpu, brake, inlet_c }: Slot): void {
  const full_w = state.site.servers[i]!.gpu_w;
  const [idle, dynamic] = [IDLE_SHARE * full_w, (1 - IDLE_SHARE) * full_w * gpu.util];
  if (gpu.lost) {
    gpu.watts = 0;
    return;
  }
  const cap =
    dynamic > 0 ? Math.max(0.2, Math.min(1, (Math.max(0, gpu.cap_w - idle) / dynamic) ** (1 / POWER_EXPONENT))) : 1;
  const hard = gpu.celsius >= GPU_HARD_SLOWDOWN_C ? 0.5 : 1;
  if (gpu.celsius > GPU_SLOWDOWN_C)
    gpu.thermal = Math.max(0.25, gpu.thermal - 0.01 * (gpu.celsius - GPU_SLOWDOWN_C) * STEP_S);
  else if (gpu.celsius < GPU_SLOWDOWN_C - 3) gpu.thermal = Math.min(1, gpu.thermal + 0.01 * STEP_S);
  gpu.clock = Math.min(brake, cap, hard, gpu.thermal);
  gpu.watts = idle + dynamic * gpu.clock ** POWER_EXPONENT;
  const rise = (GPU_FULL_RISE_K * gpu.sick * gpu.watts) / full_w / Math.max(0.4, state.servers[i]!.fans);
  gpu.celsius += (inlet_c + rise - gpu.celsius) * (1 - Math.exp(-STEP_S / GPU_TAU_S));
  noteEdges(state, { i, k, gpu, cap });
  if (gpu.celsius >= GPU_SHUTDOWN_C) loseGpu(state, i, k);
}

function noteEdges(state: State, { i, k, gpu, cap }: Omit<Slot, 'brake' | 'inlet_c'> & { readonly cap: number }): void {
  const throttled = gpu.thermal < (gpu.throttled ? 0.995 : 0.95) || gpu.celsius >= GPU_HARD_SLOWDOWN_C;
  if (throttled !== gpu.throttled)
    state.noteAt(throttled ? 'gpu_throttled' : 'gpu_throttle_over', i, gpuOf(state.site, i, k), {
      celsius: Math.round(gpu.celsius),
    });
  gpu.throttled = throttled;
  gpu.capped = cap < 0.98;
}

/** The card no longer answers on the bus; only a reboot brings it back. */
export function loseGpu(state: State, i: number, k: number): void {
  const gpu = state.servers[i]!.gpus[k]!;
  if (gpu.lost) return;
  gpu.lost = true;
  gpu.watts = 0;
  state.noteAt('xid', i, gpuOf(state.site, i, k), { xid: 79 });
}
