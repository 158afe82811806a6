/**
 * Constants of the physics. Sources and how rough each one is: README.md beside this file. Where makers differ, a site
 * draws from a range in `site.ts` instead.
 */

/** Seconds of one simulated step. What is shorter (sags, transfer, hold-up) is solved in closed form within a step. */
export const STEP_S = 0.5;

/** Share of the nominal voltage below which a supply draws on its hold-up (180 of 230 V), and outside of which a UPS transfers. */
export const SUPPLY_MINIMUM = 0.78;
export const TRANSFER_BAND = 0.12;

/** Thermal breaker: heat follows the square of the current with this time constant; it trips at this share of rated heat. */
export const BREAKER_TAU_S = 60;
export const BREAKER_TRIP = 1.3;

/** Die and heat sink of a data-centre GPU: time constant, and kelvin above the inlet at full power with all fans. */
export const GPU_TAU_S = 14;
export const GPU_FULL_RISE_K = 46;
export const GPU_SLOWDOWN_C = 85;
export const GPU_HARD_SLOWDOWN_C = 93;
export const GPU_SHUTDOWN_C = 96;
/** Power above idle goes with about the square of the clock: voltage falls with it. */
export const POWER_EXPONENT = 2;

/** Inlet temperature at which a controller warns: the upper end of ASHRAE's allowable class A2. */
export const INLET_WARNING_C = 35;

/** A load balancer drops a replica after three failed probes of ten seconds; kubelet's defaults. */
export const PROBE_S = 10;
export const PROBES = 3;
/** Node lifecycle controller: no status for 40 s. */
export const NODE_GRACE_S = 40;
/** First retransmission timeout of Linux TCP. */
export const RETRANSMIT_MS = 200;
