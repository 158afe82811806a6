/** One value of a GPU: a property of `nvidia-smi --query-gpu` under its first name, in the unit that NVML gives. */
export type Value = readonly [property: string, value: number, unit: string];

/** Which GPU, as the driver names it. */
export interface GpuIdentity {
  readonly uuid: string;
  readonly index: number;
  /** `0000:9b:00`; '' when the driver does not tell. */
  readonly pci: string;
  readonly model: string;
  readonly serial: string;
  readonly vbios_version: string;
}

export interface LinkReading {
  readonly link: number;
  readonly up: boolean;
  readonly errors: readonly (readonly [kind: string, count: number])[];
}

/** A MIG slice of a GPU, by the number of its GPU instance. */
export interface SliceReading {
  readonly instance: number;
  readonly uuid: string;
  /** `1g.10gb`; '' when the driver does not tell. */
  readonly profile: string;
  readonly values: readonly Value[];
}

/** What one GPU said at one time. */
export interface GpuReading {
  readonly gpu: GpuIdentity;
  readonly time_ms: number;
  readonly values: readonly Value[];
  readonly links: readonly LinkReading[];
  readonly slices: readonly SliceReading[];
  /** Temperatures and margins at which it slows down or shuts down, by property. */
  readonly limits: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** What the thread that talks to the driver tells. */
export type ThreadMessage =
  /** There is no library to talk to; the thread has ended. */
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'down'; readonly reason: string }
  | {
      readonly kind: 'poll';
      readonly driver: string;
      readonly gpus: readonly GpuReading[];
      /** UUIDs of GPUs that have answered and do so no more. */
      readonly lost: readonly string[];
      /** GPUs in all. */
      readonly count: number;
      readonly took_ms: number;
    }
  /** Values of some GPUs between two polls, because the driver said that they changed. */
  | { readonly kind: 'change'; readonly driver: string; readonly gpus: readonly GpuReading[] }
  /** nvmlEventData_t; `type` is one bit of nvmlEventType*. */
  | {
      readonly kind: 'event';
      readonly gpu: GpuIdentity;
      readonly time_ms: number;
      readonly type: number;
      readonly data: number;
      /** MIG slice; undefined for the whole GPU. */
      readonly instance: number | undefined;
    }
  | { readonly kind: 'lost'; readonly gpu: GpuIdentity; readonly time_ms: number; readonly reason: string }
  | { readonly kind: 'remark'; readonly text: string };

/** What the thread is told when it is started; `stop` is set to 1, and whoever waits on it woken, to end it. */
export interface ThreadOrder {
  readonly library: string;
  readonly every_ms: number;
  readonly pcie_throughput: boolean;
  readonly stop: SharedArrayBuffer;
}
