/** One value of a GPU: a property of `nvidia-smi --query-gpu` under its first name, in the unit that NVML gives. */
export type Value = readonly [property: string, value: number, unit: string];

/** Which GPU, as the driver names it. */
export interface GpuIdentity {
  readonly uuid: string;
  readonly index: number;
  /** `0000:9b:00`; '' if the driver does not report it. */
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
  /** `1g.10gb`; '' if the driver does not report it. */
  readonly profile: string;
  readonly values: readonly Value[];
}

/** All values of one GPU at one time. */
export interface GpuReading {
  readonly gpu: GpuIdentity;
  readonly time_ms: number;
  readonly values: readonly Value[];
  readonly links: readonly LinkReading[];
  readonly slices: readonly SliceReading[];
  /** Temperatures and margins at which it slows down or shuts down, by property. */
  readonly limits: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Messages of the driver thread. */
export type ThreadMessage =
  /** There is no library; the thread has ended. */
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'down'; readonly reason: string }
  | {
      readonly kind: 'poll';
      readonly driver: string;
      readonly gpus: readonly GpuReading[];
      /** UUIDs of GPUs that no longer answer. */
      readonly lost: readonly string[];
      /** Number of GPUs. */
      readonly count: number;
      readonly took_ms: number;
    }
  /** Values of some GPUs between two polls, after the driver reported a change. */
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

/** Start parameters of the thread; set `stop` to 1 and notify it to end the thread. */
export interface ThreadOrder {
  readonly library: string;
  readonly every_ms: number;
  readonly pcie_throughput: boolean;
  readonly stop: SharedArrayBuffer;
}
