/**
 * Attributes of spans and log records that name what the work ran on or as, by preference: OpenTelemetry semantic conventions
 * (https://opentelemetry.io/docs/specs/semconv/resource/), then names that instrumentations use beside them. The parts of a place
 * that a record lacks are those of its resource.
 */
export const placeAttributes = {
  host: ['host.name'],
  node: ['k8s.node.name'],
  namespace: ['k8s.namespace.name'],
  pod: ['k8s.pod.name'],
  pod_uid: ['k8s.pod.uid'],
  gpu_uuid: ['gpu.uuid', 'gpu_uuid', 'gpu.id', 'gpu.device_id'],
  /** On the machine; device numbers of CUDA count what a process may see. */
  gpu_index: ['gpu.index', 'gpu.device_id', 'gpu.device', 'gpu.id'],
  pci: ['gpu.pci.address', 'pci_bus_id'],
  rank: ['gen_ai.training.rank', 'nccl.rank', 'torch.distributed.rank', 'training.rank', 'slurm.procid', 'rank'],
  job: [
    'gen_ai.training.job_id',
    'training.job_id',
    'slurm.job.id',
    'slurm.job_id',
    'k8s.job.name',
    'job_id',
    'job.id',
  ],
  /** Beside a bare `rank`, which many kinds of software count with, they show that it is one of a distributed job. */
  world: ['gen_ai.training.world_size', 'nccl.comm', 'world_size', 'local_rank', 'nranks'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type PlacePart = keyof typeof placeAttributes;

/** Every attribute that is looked for. */
export const placeKeys: readonly string[] = [...new Set(Object.values(placeAttributes).flat())];

/** What is in the JSON text of attributes with such a key, so that few records are parsed. */
export const placeMarks: readonly string[] = [
  '"gpu',
  'rank"',
  '"k8s.',
  '"host.name"',
  '"pci_bus_id"',
  '"slurm.',
  'job_id"',
  '"job.id"',
];

/** A place as some records of one resource state it. */
export interface StatedPlace {
  /** JSON object text of the resource's attributes; '': none. */
  readonly resource: string;
  /** Of {@link placeKeys}, those that the records have. */
  readonly attributes: Readonly<Record<string, string>>;
}
