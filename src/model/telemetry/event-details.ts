import { z } from 'zod';

/** What a record may add to the type of its event, in the same terms for every vendor. */
export const qualifiers = {
  // Nothing is lost by it.
  self_test: 'the device tests or calibrates itself',
  predicted: 'a failure is predicted',
  corrected: 'the error was corrected',
  redundancy_kept: 'redundant units carry the load',
  unused_link: 'no service uses the link: spare, unused or management',
  near_limit: 'close to the limit, not above it',
  at_limit: 'at its normal limit (NVML clocks event reason 0x4, power limit notification of Linux)',
  warning: 'health is a warning, not a failure',
  // What it did.
  hardware_slowdown: 'the hardware slows the clocks (NVML 0x40)',
  software_slowdown: 'the driver slows the clocks (NVML 0x20)',
  power_brake: 'the external power brake is asserted (NVML 0x80)',
  uncorrected: 'the error could not be corrected',
  rows_remapped: 'memory rows were remapped',
  remap_pending: 'row remapping pending a reset',
  remap_failed: 'memory could not be repaired',
  kernel_crash: 'a panic, an oops or a lockup of the kernel',
  hung_task: 'a task has been blocked for more than two minutes',
  storage_error: 'storage does not answer, or a file system is not mounted',
  disk_pressure: 'no space on the disk, or a file system is read-only',
  read_only: 'a file system became read-only',
  timed_out: 'ended after a timeout',
  container_limit: 'at the memory limit of a container, not of the machine',
  several_ports: 'more than one port',
  agent_restarted: 'its management agent started again (coldStart, warmStart)',
  // What Kubernetes reports.
  rollout: 'a version, replicas or containers are being started',
  image_pull: 'an image cannot be pulled',
  crash_loop: 'a container crashes repeatedly',
  resource_pressure: 'a node or pod ran short of a resource',
} as const;
export type Qualifier = keyof typeof qualifiers;

const figure = z.number();
const name = z.string();

/**
 * What an event states beside its type, typed once where it is imported or derived (`src/main/sources/event-details`); every
 * member is missing where the record does not state it.
 */
const eventDetailsSchema = z.object({
  qualifiers: z.array(z.enum(Object.keys(qualifiers) as [Qualifier])).optional(),
  /** Number of NVIDIA's Xid. */
  xid: figure.optional(),
  /** A power limit before and after, W. */
  limit: z.object({ from: figure, to: figure }).optional(),
  /** Mask of NVML's clocks event reasons. */
  clocks_event_reasons: figure.optional(),
  /** A measured value with the limit that it passed, in the unit of its metric; the limit is null where it is unknown. */
  passed: z.object({ value: figure, limit: figure.nullable(), unit: name }).optional(),
  /** What the device measured, as the record itself states it: samples of that metric are held against it. */
  reading: z.object({ metric: name, value: figure, unit: name }).optional(),
  /** Name of the power supply that failed or lost its input: `PSU-B`, `PS2`. */
  supply: name.optional(),
  /** Name of the feed that failed: `B` of "feed B". */
  feed: name.optional(),
  /** Number or label of the outlet, breaker or phase of a PDU that the event is about: `12`, `CB2`, `L2`. */
  outlet: name.optional(),
  breaker: name.optional(),
  phase: name.optional(),
  /** A collective operation: `ALLREDUCE`. */
  operation: name.optional(),
  /** How long it had waited when its watchdog ended it. */
  waited_s: figure.optional(),
  /** Steps that a training job did again after it was started again, and about how long they take. */
  lost_steps: figure.optional(),
  repeated_s: figure.optional(),
  /** How long before it the record of a training job was as usual for the last time. */
  gap_s: figure.optional(),
  /** How long it lasted, as far as recorded. */
  lasted_s: figure.optional(),
  /** The signal that ended a process: `Killed`. */
  signal: name.optional(),
  /** Memory that a process asked for: `2.00 GiB`. */
  requested: name.optional(),
  /** What a node or pod ran short of: `memory`. */
  resource: name.optional(),
  /** A container image, and why it cannot be pulled. */
  image: name.optional(),
  image_error: name.optional(),
  /** A set of replicas that a rollout began. */
  replica_set: name.optional(),
});
export type EventDetails = Readonly<z.infer<typeof eventDetailsSchema>>;
export type LimitChange = NonNullable<EventDetails['limit']>;

/** An event as its record states it. */
export interface StatedEvent {
  readonly type: string;
  readonly message: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}
export type ReadDetails = (event: StatedEvent) => EventDetails;

export const NO_DETAILS: EventDetails = {};

/** What the `details` column holds: JSON object text, '' for none. */
export const detailsText = (details: EventDetails): string => {
  const text = JSON.stringify(details);
  return text === '{}' ? '' : text;
};

/** Details as the column holds them; none where a bundle brings something else. */
export function parseDetails(text: string | null): EventDetails {
  if (text === null || text === '') return NO_DETAILS;
  try {
    return eventDetailsSchema.parse(JSON.parse(text));
  } catch {
    return NO_DETAILS;
  }
}

/** Whether a record adds any of these. */
export const isQualified = ({ details }: { readonly details: EventDetails }, ...some: readonly Qualifier[]): boolean =>
  details.qualifiers?.some((one) => some.includes(one)) ?? false;
