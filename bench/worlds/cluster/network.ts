import { RETRANSMIT_MS, STEP_S } from './constants.ts';
import type { State } from './state.ts';

/** Packets of one request and its answer that all must arrive. */
const PACKETS = 12;

/** Leaf switches: what is offered against the uplinks; above them the buffer fills within milliseconds, then packets drop. */
export function stepNetwork(state: State): void {
  state.leaves.forEach((leaf, i) => {
    const { uplink_gbps, buffer_ms } = state.site.leaves[i]!;
    leaf.load = (leaf.extra_gbps + 0.12 * uplink_gbps) / uplink_gbps;
    leaf.loss = leaf.load > 1 ? 1 - 1 / leaf.load : 0;
    leaf.delay_ms = leaf.load > 1 ? buffer_ms : Math.min(buffer_ms, (0.02 * leaf.load) / (1 - leaf.load + 1e-6));
  });
}

/** Mean milliseconds that a request loses on the way to this machine. */
export function wayTo(state: State, server: number): number {
  const { delay_ms, loss } = state.leaves[state.site.servers[server]!.leaf]!;
  return delay_ms + (1 - (1 - loss) ** PACKETS) * RETRANSMIT_MS;
}

/** By how much longer a bulk exchange takes across this leaf. */
export const exchangeFactor = (state: State, server: number): number => {
  const { load, loss } = state.leaves[state.site.servers[server]!.leaf]!;
  return Math.max(1, load) * (1 + 20 * loss);
};

/** Stores: demand of this step against what they deliver; the rest waits. Demand is added up anew each step. */
export function stepStorage(state: State): void {
  state.stores.forEach((store, i) => {
    const { gbps, base_ms } = state.site.stores[i]!;
    const delivered = gbps * store.factor;
    store.stalled_s = store.factor < 0.02 ? store.stalled_s + STEP_S : 0;
    store.backlog_gb = Math.max(0, store.backlog_gb + ((store.demand_gbps - delivered) / 8) * STEP_S);
    store.backlog_gb = Math.min(store.backlog_gb, (gbps / 8) * 120);
    const busy = Math.min(0.97, store.demand_gbps / Math.max(0.01, delivered));
    store.wait_ms = base_ms / (1 - busy) / Math.max(0.05, Math.sqrt(store.factor)) + store.stalled_s * 500;
    if (store.factor >= 0.02) store.wait_ms += Math.min(60_000, (store.backlog_gb * 8000) / delivered);
    store.demand_gbps = 0;
  });
}
