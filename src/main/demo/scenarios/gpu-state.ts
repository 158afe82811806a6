/** Degrees Celsius at which the driver starts to lower clocks (software thermal slowdown). */
export const SLOWDOWN_C = 87;
const AIR_C = 32;
const IDLE_W = 90;
const DYNAMIC_W = 560;
/** Kelvin per watt from the air to the chip with all fans running. */
const RESISTANCE = 0.11;
/** Seconds in which a heat sink follows its load. */
const INERTIA_S = 45;
const LEAST_CLOCK = 0.25;

/** Clock, heat and power of the GPUs of a replica, which all do the same work. */
export class GpuState {
  temperature_c = AIR_C + RESISTANCE * 300;
  power_w = 300;
  /** Share of the full clock. */
  clock = 1;
  /** Held back by heat. */
  isHot = false;
  /** Microseconds held back by heat since the start, as DCGM counts them. */
  hot_us = 0;

  /**
   * One second of work. Dynamic power grows with load and clock (voltage follows the clock, hence the exponent), and the
   * driver steps the clock down while the chip is above its limit, up while it is below.
   *
   * @param utilization 0 to 1
   * @param cooling share of the normal heat flow that the fans still carry
   * @param cap highest clock that power supplies allow, as a share
   */
  second(utilization: number, cooling: number, cap: number): void {
    this.power_w = IDLE_W + DYNAMIC_W * utilization * this.clock ** 1.6;
    const settled = AIR_C + (RESISTANCE / cooling) * this.power_w;
    this.temperature_c += (settled - this.temperature_c) / INERTIA_S;
    const step = this.temperature_c > SLOWDOWN_C ? -0.03 : 0.01;
    const wanted = Math.min(1, Math.max(LEAST_CLOCK, Math.min(this.clock, 1) + step));
    this.isHot = wanted < 1 && this.temperature_c > SLOWDOWN_C - 3;
    if (this.isHot) this.hot_us += 1e6;
    this.clock = Math.min(cap, wanted);
  }
}
