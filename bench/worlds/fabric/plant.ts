import { Chance, randomOf } from './chance.ts';
import type { Engine } from './engine.ts';
import { type Machine, modulesOf, type Row, type Site } from './site.ts';

export const gpuKey = (machine: Machine, gpu: number): string => `gpu:${machine.name}/${gpu}`;
export const serverKey = ({ name }: Machine): string => `server:${name}`;
/** Rail 0 is the card of the front-end network. */
export const nicKey = ({ name }: Machine, rail: number): string => `nic:${name}/${rail}`;

/** °C: where GPUs slow down, and what the loop of a row has on a good day. */
export const SLOWDOWN_C = 87;
const LOOP_C = 33;
const RISE_C = 41;
const INLET_C = 24;
/** Air machines slow down above this. */
const HOT_INLET_C = 37;
const TICK_S = 15;

interface Loop {
  now_c: number;
  target_c: number;
  tau_s: number;
  by: number;
  isTicking: boolean;
}

/** What stands between the street and the machines: power, water, air. Redundancy is in who feeds whom, not in any rule. */
export class Plant {
  readonly site: Site;
  readonly engine: Engine;
  /** What is out, and the event that put it out. */
  readonly out = new Map<string, number>();
  private readonly loops = new Map<string, Loop>();
  private readonly inlets = new Map<string, Loop>();
  private readonly chance: Chance;
  private readonly unfed = new Set<string>();

  constructor(site: Site, engine: Engine) {
    this.site = site;
    this.engine = engine;
    this.chance = new Chance(site.seed, 'plant');
    for (const row of site.rows) {
      this.loops.set(row.name, { now_c: LOOP_C, target_c: LOOP_C, tau_s: 200, by: -1, isTicking: false });
      engine.measure(`loop:${row.name}`, LOOP_C);
      engine.measure(`flow:${row.name}`, 100);
    }
    for (const rack of site.racks) {
      this.inlets.set(rack.name, { now_c: INLET_C, target_c: INLET_C, tau_s: 240, by: -1, isTicking: false });
      engine.measure(`inlet:${rack.name}`, INLET_C);
    }
  }

  /** Takes something of the power tree out: `utility:A`, `ups:x`, `pdu:x`, `breaker:pdu/L1`, `psu:machine/1`. */
  lose(key: string, by: number): void {
    if (this.out.has(key)) return;
    this.out.set(key, by);
    this.reviewPower();
  }

  restore(key: string): void {
    if (this.out.delete(key)) this.reviewPower();
  }

  /** The mains of a side fail: modules go on battery, until the generator or the end. */
  loseMains(side: 'A' | 'B', by: number, seconds: number): void {
    const { engine } = this;
    const source = this.site.sources[side];
    const generator_s = this.chance.is(0.6) ? this.chance.between(9, 25) : Number.POSITIVE_INFINITY;
    const until_s = Math.min(seconds, generator_s);
    const battery_s = this.chance.between(240, 700);
    for (const module of modulesOf(source)) {
      const id = engine.note('ups_on_battery', `ups:${module}`, [by]);
      engine.measure(`battery:${module}`, 1);
      if (until_s <= battery_s)
        engine.after(until_s, () => {
          engine.measure(`battery:${module}`, 0);
          engine.note('ups_on_line', `ups:${module}`, [id]);
        });
      else
        engine.after(battery_s, () => {
          engine.measure(`battery:${module}`, 0);
          this.lose(`ups:${module}`, engine.note('ups_output_off', `ups:${module}`, [id]));
          engine.after(seconds - battery_s, () => this.restore(`ups:${module}`));
        });
    }
    if (source.kind === 'mains') {
      this.lose(`utility:${side}`, by);
      engine.after(Math.min(seconds, generator_s), () => this.restore(`utility:${side}`));
    }
  }

  /** The event that took a cord's power; -1: it has power. */
  private cordCause(row: Row, side: 'A' | 'B', phase: string): number {
    const { out } = this;
    const source = this.site.sources[side];
    const pdu = row.pdus[side];
    const breaker = out.get(`breaker:${pdu}/${phase}`) ?? out.get(`pdu:${pdu}`);
    if (breaker !== undefined) return breaker;
    if (source.kind === 'mains') return out.get(`utility:${side}`) ?? -1;
    if (source.kind === 'block') {
      const primary = out.get(`ups:${source.primary}`);
      return primary === undefined ? -1 : (out.get(`ups:${source.catcher}`) ?? out.get(`sts:${side}`) ?? -1);
    }
    const lost = source.modules.flatMap((module) => out.get(`ups:${module}`) ?? []);
    return source.modules.length - lost.length < source.needed ? lost.at(-1)! : -1;
  }

  private reviewPower(): void {
    for (const rack of this.site.racks) {
      const rackOut = this.out.get(`rack:${rack.name}`);
      const causes = { A: this.cordCause(rack.row, 'A', rack.phase), B: this.cordCause(rack.row, 'B', rack.phase) };
      for (const machine of rack.machines) {
        const cords = rack.cords.map((side, i) => this.out.get(`psu:${machine.name}/${i + 1}`) ?? causes[side]);
        const cause = rackOut ?? (cords.every((one) => one >= 0) ? Math.max(...cords) : -1);
        cords.forEach((one, i) => {
          this.noteCord(machine, i + 1, rackOut ?? one);
        });
        if (cause >= 0) this.powerOff(machine, cause);
        else if (this.engine.isHindered(serverKey(machine), 'power')) this.boot(machine, 'power', -1);
      }
      if (rack.cords.length === 2) this.reviewLoad(rack.row, rack.phase, causes);
    }
  }

  private noteCord(machine: Machine, number: number, cause: number): void {
    const key = `${machine.name}/${number}`;
    if (cause >= 0 === this.unfed.has(key)) return;
    if (cause >= 0) {
      this.unfed.add(key);
      this.engine.note('supply_unfed', `psu:${key}`, [cause]);
    } else {
      this.unfed.delete(key);
      this.engine.note('supply_fed', `psu:${key}`);
    }
    this.engine.measure(`psu:${key}`, cause >= 0 ? 0 : 1);
  }

  /** With one side dead, a phase of the other carries both; a breaker that is too small opens after a while. */
  private reviewLoad(row: Row, phase: string, causes: Readonly<Record<'A' | 'B', number>>): void {
    for (const [dead, live] of [
      ['A', 'B'],
      ['B', 'A'],
    ] as const) {
      const over = this.site.failover - 1;
      const key = `breaker:${row.pdus[live]}/${phase}`;
      this.engine.measure(`load:${row.pdus[live]}/${phase}`, causes[dead] >= 0 ? this.site.failover : 0.5);
      if (causes[dead] < 0 || causes[live] >= 0 || over <= 0.02 || this.out.has(`watch ${key}`)) continue;
      const warned = this.engine.note('phase_overload', `pdu:${row.pdus[live]}`, [causes[dead]], { phase });
      this.out.set(`watch ${key}`, warned);
      this.engine.after(20 + 12 / over, () => {
        if (this.cordCause(row, dead, phase) < 0) return;
        this.lose(key, this.engine.note('breaker_open', `pdu:${row.pdus[live]}`, [warned], { phase }));
      });
    }
  }

  powerOff(machine: Machine, by: number): void {
    if (this.engine.isHindered(serverKey(machine), 'power')) return;
    const id = this.engine.note('server_off', serverKey(machine), [by]);
    this.engine.hinder(serverKey(machine), 'power', Number.POSITIVE_INFINITY, id);
    this.engine.measure(`up:${machine.name}`, 0);
    this.noteCards(machine, 'far_link_down', id);
  }

  /** The switches see the cards of a machine go and come. */
  private noteCards(machine: Machine, type: string, by: number): void {
    const rails = machine.gpus > 0 && this.site.jobs.length > 0 ? this.site.rails : 0;
    for (let rail = 0; rail <= rails; rail++) this.engine.note(type, nicKey(machine, rail), [by]);
  }

  /** The machine starts, and is there after some minutes. */
  boot(machine: Machine, key: string, by: number): void {
    const token = `boot ${machine.name} ${key}`;
    if (this.out.has(token)) return;
    this.out.set(token, by);
    const seconds = 120 + 240 * randomOf(machine.index, 77, this.site.seed);
    this.engine.after(seconds, () => {
      this.out.delete(token);
      this.engine.measure(`up:${machine.name}`, 1);
      const id = this.engine.note('server_up', serverKey(machine), [by]);
      if (key === 'power') this.noteCards(machine, 'far_link_up', id);
      this.engine.relieve(serverKey(machine), key);
    });
  }

  /** The loop of a row goes to another temperature. */
  heatLoop(row: Row, target_c: number, tau_s: number, by: number): void {
    const loop = this.loops.get(row.name)!;
    Object.assign(loop, { target_c, tau_s, by });
    if (!loop.isTicking) this.tickLoop(row, loop);
  }

  coolLoop(row: Row): void {
    const loop = this.loops.get(row.name)!;
    Object.assign(loop, { target_c: LOOP_C, tau_s: 120 });
    if (!loop.isTicking) this.tickLoop(row, loop);
  }

  private tickLoop(row: Row, loop: Loop): void {
    loop.isTicking = Math.abs(loop.target_c - loop.now_c) > 0.3;
    if (!loop.isTicking) return;
    this.engine.after(TICK_S, () => {
      loop.now_c += (loop.target_c - loop.now_c) * (1 - Math.exp(-TICK_S / loop.tau_s));
      this.engine.measure(`loop:${row.name}`, loop.now_c);
      for (const { machines } of row.racks)
        for (const machine of machines)
          for (let gpu = 0; gpu < machine.gpus; gpu++) this.reviewGpu(machine, gpu, loop.by);
      this.tickLoop(row, loop);
    });
  }

  /** K that this one is hotter than others. */
  private readonly extra = new Map<string, { readonly kelvin: number; readonly by: number }>();

  heatGpu(machine: Machine, gpu: number, kelvin: number, by: number): void {
    this.extra.set(gpuKey(machine, gpu), { kelvin, by });
    this.engine.measure(`hot:${gpuKey(machine, gpu)}`, kelvin);
    this.reviewGpu(machine, gpu, by);
  }

  /** °C of a GPU under full load. */
  private fullLoad(machine: Machine, gpu: number): number {
    const loop = this.loops.get(machine.rack.row.name)!;
    return (
      loop.now_c + RISE_C + spread(machine, gpu, this.site.seed) + (this.extra.get(gpuKey(machine, gpu))?.kelvin ?? 0)
    );
  }

  private reviewGpu(machine: Machine, gpu: number, by: number): void {
    const key = gpuKey(machine, gpu);
    const over = this.fullLoad(machine, gpu) - SLOWDOWN_C;
    const isSlow = this.engine.isHindered(key, 'heat');
    if (over > 0) {
      const factor = 1.15 + over / 9;
      const id = isSlow
        ? this.engine.hindranceOf(key).by
        : this.engine.note('gpu_throttle', key, [this.extra.get(key)?.by ?? by]);
      this.engine.hinder(key, 'heat', factor, id);
      this.engine.measure(`clock:${key}`, 1 / factor);
    } else if (isSlow && over < -3) {
      this.engine.relieve(key, 'heat');
      this.engine.measure(`clock:${key}`, 1);
      this.engine.note('gpu_throttle_end', key);
    }
  }

  /** Air of a rack, where a rear door or its water fails. */
  heatAir(rack: string, target_c: number, tau_s: number, by: number): void {
    const air = this.inlets.get(rack)!;
    Object.assign(air, { target_c, tau_s, by });
    if (!air.isTicking) this.tickAir(rack, air);
  }

  coolAir(rack: string): void {
    this.heatAir(rack, INLET_C, 150, -1);
  }

  private tickAir(name: string, air: Loop): void {
    air.isTicking = Math.abs(air.target_c - air.now_c) > 0.3;
    if (!air.isTicking) return;
    this.engine.after(TICK_S, () => {
      air.now_c += (air.target_c - air.now_c) * (1 - Math.exp(-TICK_S / air.tau_s));
      this.engine.measure(`inlet:${name}`, air.now_c);
      for (const machine of this.site.racks.find((rack) => rack.name === name)!.machines) {
        const over = air.now_c - HOT_INLET_C - 2 * randomOf(machine.index, 5, this.site.seed);
        if (over > 0) {
          const isHot = this.engine.isHindered(serverKey(machine), 'heat');
          const id = isHot
            ? this.engine.hindranceOf(serverKey(machine)).by
            : this.engine.note('cpu_throttle', serverKey(machine), [air.by]);
          this.engine.hinder(serverKey(machine), 'heat', 1.3 + over / 6, id);
        } else this.engine.relieve(serverKey(machine), 'heat');
      }
      this.tickAir(name, air);
    });
  }
}

/** K by which a GPU differs from its neighbours. */
export const spread = (machine: Machine, gpu: number, seed: number): number =>
  6 * (randomOf(machine.index, gpu, seed) - 0.5);
/** °C of a GPU as its loop, its load and itself have it. */
export const gpuTemperature = (loop_c: number, load: number, more_c: number): number =>
  loop_c + 4 + (RISE_C - 4) * load + more_c;
