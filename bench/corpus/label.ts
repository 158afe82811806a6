import type { EntityKind, Layer } from '../../src/model/entity.ts';

/** Where an incident began; `healthy` is a night on which no service suffered at all. */
export const families = [
  'ups_transfer',
  'pdu_sag',
  'breaker_trip',
  'psu_failure',
  'bmc_cap',
  'cooling_failure',
  'gpu_thermal',
  'power_brake',
  'xid_79',
  'xid_48',
  'xid_63',
  'xid_94',
  'xid_95',
  'xid_119',
  'nvlink_down',
  'infiniband_flap',
  'poe_overload',
  'switch_reboot',
  'host_degradation',
  'noisy_neighbour',
  'dataloader_stall',
  'checkpoint_stall',
  'pod_eviction',
  'bad_deploy',
  'traffic_surge',
  'healthy',
] as const;
/** Incidents of training jobs, beside the corpus: nothing is fitted on them. `job_done` is a job that ends because it is done. */
export const jobFamilies = [
  'job_gpu_off_bus',
  'job_ecc',
  'job_nvlink',
  'job_nic_flap',
  'job_switch_congestion',
  'job_storage_stall',
  'job_dataloader',
  'job_eviction',
  'job_preemption',
  'job_oom',
  'job_heat',
  'job_cap',
  'job_host_loss',
  'job_checkpoint',
  'job_desync',
  'job_done',
] as const;
export type Family = (typeof families | typeof jobFamilies)[number];

/** Families without any physical cause: a device named first with more than even odds is a false accusation. */
export const innocentFamilies: ReadonlySet<Family> = new Set([
  ...(['bad_deploy', 'traffic_surge', 'healthy'] as const),
  ...(['job_desync', 'job_done'] as const),
]);

/** What makes an incident hard. Easy ones have none of them. */
export const variants = [
  /** The root is recorded with a severity below what it deserves. */
  'understated_root',
  /** Critical events that did no harm, close to the onset, on devices that none of the victims runs on. */
  'benign_critical',
  /** One data source of the scenario is off by 5 to 30 s, and drifts. */
  'skewed_source',
  /** A data source of the scenario was not recorded; if it is the root cause's, its whole layer is missing. */
  'missing_source',
  /** The root cause itself reported nothing while several machines behind it failed over at once. */
  'silent_root',
  /** Management controllers and GPU exporters are polled every 15 to 60 s: their reports are late. */
  'late_sampling',
  /** Effects of the scenario were not recorded, each with three chances in ten. */
  'lost_links',
  /** Links are missing from the topology, others are out of date. */
  'stale_topology',
  /** A source wrote local time without a time zone: off by whole hours. */
  'wrong_zone',
  /** Another incident of another cause at nearly the same time, elsewhere. */
  'overlap',
  /** For a minute or two before, no service was measured at all: nothing was out, but the recording. */
  'telemetry_gap',
] as const;
export type Variant = (typeof variants)[number];

export interface EntityRef {
  readonly kind: EntityKind;
  readonly id: string;
}

/**
 * `train` and `tune` to fit on, of which only `tune` is looked at; `check`, not fitted on, to see whether that holds elsewhere;
 * `test` for nothing but the figures.
 */
export const splits = ['train', 'tune', 'check', 'test'] as const;
export type Split = (typeof splits)[number];

/** The truth about one incident. Times are on the true clock, nanoseconds since 1970. */
export interface Label {
  /** `pdu_sag-h-3`: family, easy or hard, number. */
  readonly id: string;
  readonly seed: number;
  readonly split: Split;
  /** One of its world's families: of {@link families} for this corpus. */
  readonly family: string;
  readonly hard: boolean;
  readonly variants: readonly Variant[];
  /** null: no physical cause; of one in the software of a rank, the rank. */
  readonly root: EntityRef | null;
  /** Equivalent subjects, such as the machine whose only supply failed. */
  readonly root_equivalents: readonly EntityRef[];
  /** Number of equivalents that are other devices, which the recording cannot distinguish from the silent root cause. */
  readonly alike: number;
  /** The service to which a software cause belongs; null for physical causes and healthy nights. */
  readonly guilty_service: string | null;
  /** `original_id` of the event in which the root shows; null when it was not recorded. */
  readonly root_event_id: string | null;
  /** Cause and effect by `original_id`; what was not recorded is bridged to the nearest recorded cause. */
  readonly chain: readonly (readonly [cause: string, effect: string])[];
  /** `original_id` of a repeated event to that of its first report. */
  readonly repeats: Readonly<Record<string, string>>;
  readonly affected_services: readonly string[];
  readonly onset_ns: bigint;
  readonly end_ns: bigint;
  /** Layers of which no event was recorded although the scenario involves them. */
  readonly withheld_layers: readonly Layer[];
  /** Seconds that each source's clock is ahead at the onset, hours of a wrong zone included. */
  readonly clock_offsets_s: Readonly<Record<string, number>>;
  readonly expected: 'device' | 'no_physical_cause' | 'insufficient_evidence' | 'none';
}
