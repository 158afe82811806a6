import { BREAKER_TAU_S, BREAKER_TRIP, STEP_S, SUPPLY_MINIMUM, TRANSFER_BAND } from './constants.ts';
import { supplyId } from './site.ts';
import type { ServerState, State, SupplyState } from './state.ts';

/** Utility to supplies, in the direction of the current, then the loads back up. */
export function stepPower(state: State): void {
  for (const i of state.upses.keys()) stepUps(state, i);
  for (const i of state.pdus.keys()) stepPdu(state, i);
  for (const pdu of state.pdus) pdu.load_w = 0;
  for (const ups of state.upses) ups.load_w = 0;
  for (const i of state.servers.keys()) stepSupplies(state, i);
  state.site.pdus.forEach(({ ups }, i) => {
    if (ups !== null) state.upses[ups]!.load_w += state.pdus[i]!.load_w;
  });
}

function stepUps(state: State, i: number): void {
  const [ups, { feed, name, transfer_ms, runtime_s }] = [state.upses[i]!, state.site.upses[i]!];
  const { volts, dip_ms, dip_volts } = state.feeds[feed]!;
  const subject = { kind: 'ups' as const, id: name };
  const good = Math.abs(volts - 1) <= TRANSFER_BAND && (dip_ms === 0 || dip_volts > 1 - TRANSFER_BAND);
  const before = ups.output;
  ups.gap_ms = 0;
  ups.good_s = good ? ups.good_s + STEP_S : 0;
  if (ups.broken) {
    ups.on_battery = false;
    ups.output = ups.can_bypass && good;
    ups.volts = ups.output ? volts : 0;
  } else {
    if (!good && !ups.on_battery) {
      ups.on_battery = true;
      ups.gap_ms = transfer_ms;
      state.note('ups_on_battery', subject, { values: { volts: Math.round(230 * Math.min(volts, dip_volts)) } });
    } else if (ups.on_battery && ups.good_s >= 5) {
      ups.on_battery = false;
      ups.low = false;
      state.note('ups_on_utility', subject);
    }
    const rated = state.site.pdus.reduce((sum, pdu) => sum + (pdu.ups === i ? pdu.rated_w : 0), 0) * 0.6;
    if (ups.on_battery) ups.charge -= (STEP_S / runtime_s) * Math.max(0.15, ups.load_w / rated);
    else ups.charge = Math.min(1, ups.charge + STEP_S / 14_400);
    if (ups.on_battery && ups.charge < 0.2 && !ups.low) {
      ups.low = true;
      state.note('ups_low_battery', subject);
    }
    ups.output = !ups.on_battery || (ups.charge > 0 && !ups.battery_dead);
    ups.volts = ups.output ? 1 : 0;
  }
  if (before && !ups.output) state.note('ups_output_off', subject);
  if (!before && ups.output) state.note('ups_output_on', subject);
}

function stepPdu(state: State, i: number): void {
  const [pdu, { ups, feed, name, rated_w }] = [state.pdus[i]!, state.site.pdus[i]!];
  const subject = { kind: 'pdu' as const, id: name };
  const supply = ups === null ? state.feeds[feed]! : state.upses[ups]!;
  const before = pdu.volts;
  pdu.volts = pdu.tripped ? 0 : supply.volts;
  pdu.dip_ms = 'gap_ms' in supply ? supply.gap_ms : supply.dip_volts < SUPPLY_MINIMUM ? supply.dip_ms : 0;
  // Meters average over a second and more: they see a dip of half a cycle only as what is left on average.
  const seen = pdu.volts * (1 - pdu.dip_ms / 1000);
  if (seen < 0.9 && seen > 0.05 && !pdu.sagging) {
    pdu.sagging = true;
    state.note('pdu_low_voltage', subject, { values: { volts: Math.round(230 * seen) } });
  } else if (seen > 0.95 && pdu.sagging) {
    pdu.sagging = false;
    state.note('pdu_voltage_ok', subject);
  }
  if (before > 0.05 && pdu.volts <= 0.05 && !pdu.tripped) state.note('pdu_power_lost', subject);
  if (before <= 0.05 && pdu.volts > 0.05) state.note('pdu_power_back', subject);
  const load = pdu.load_w / rated_w;
  pdu.heat += (load * load - pdu.heat) * (1 - Math.exp(-STEP_S / BREAKER_TAU_S));
  if (load > 0.95 !== pdu.overloaded && (load > 0.95 || load < 0.9)) {
    pdu.overloaded = load > 0.95;
    state.note(pdu.overloaded ? 'pdu_overload' : 'pdu_overload_over', subject, {
      values: { amps: Math.round(pdu.load_w / 230) },
    });
  }
  if (pdu.heat > BREAKER_TRIP && !pdu.tripped) trip(state, i);
}

/** Opens the breaker of a PDU; it stays open until somebody closes it. */
export function trip(state: State, i: number): void {
  state.pdus[i]!.tripped = true;
  state.note('breaker_tripped', { kind: 'pdu', id: state.site.pdus[i]!.name });
}

/** Nothing is wrong with a machine's power: nearly always, and a site has thousands of machines. */
function isQuiet({ pdus }: State, { on, supplies }: ServerState, feeds: readonly number[]): boolean {
  if (!on) return false;
  for (let k = 0; k < feeds.length; k++) {
    const [{ volts, dip_ms }, { works, broken }] = [pdus[feeds[k]!]!, supplies[k]!];
    if (volts < SUPPLY_MINIMUM || dip_ms > 0 || !works || broken) return false;
  }
  return true;
}

function stepSupplies(state: State, i: number): void {
  const [server, built] = [state.servers[i]!, state.site.servers[i]!];
  if (isQuiet(state, server, built.supplies)) {
    for (const pdu of built.supplies) state.pdus[pdu]!.load_w += server.load_w / built.supplies.length;
    return;
  }
  const sharing = Math.max(1, server.supplies.filter(({ works }) => works).length);
  server.supplies.forEach((supply, k) => {
    const pdu = state.pdus[built.supplies[k]!]!;
    const hold_up_ms = built.hold_up_ms * Math.min(2.5, built.supply_w / Math.max(1, server.load_w / sharing));
    const fed = pdu.volts >= SUPPLY_MINIMUM && pdu.dip_ms <= hold_up_ms;
    setSupply(state, { i, k, supply, fed });
  });
  const working = server.supplies.filter(({ works }) => works).length;
  server.supplies.forEach((supply, k) => {
    if (supply.works) state.pdus[built.supplies[k]!]!.load_w += server.load_w / working;
  });
  if (server.on && working === 0) {
    server.on = false;
    server.boot_s = built.boot_s;
    state.noteAt('host_off', i);
  } else if (!server.on && working > 0) {
    server.boot_s -= STEP_S;
    if (server.boot_s > 0) return;
    server.on = true;
    state.noteAt('host_booted', i);
  }
}

interface Slot {
  readonly i: number;
  readonly k: number;
  readonly supply: SupplyState;
  readonly fed: boolean;
}

/** A supply that dropped out starts again softly, a second or two after its input is back. */
function setSupply(state: State, { i, k, supply, fed }: Slot): void {
  const built = state.site.servers[i]!;
  const part = { subject: { kind: 'psu' as const, id: supplyId(built, k) }, part: k };
  const works = !supply.broken && fed && state.at_s >= supply.back_s;
  if (supply.works && !works) {
    supply.back_s = state.at_s + 2;
    state.noteAt(supply.broken ? 'supply_broken' : 'supply_input_lost', i, part);
  }
  if (!supply.works && works) state.noteAt('supply_input_back', i, part);
  supply.works = works;
}
