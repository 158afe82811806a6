import { z } from 'zod';
import { burstSchema } from '../burst.ts';
import { localPathSchema } from '../plan/local-path.ts';

export const nvmlPlanSchema = z
  .strictObject({
    kind: z.literal('nvml'),
    name: z.string().min(1).max(200).default('NVML').describe('name of its data source'),
    /** Path of the driver's library; null: the default path. */
    library: localPathSchema.nullable().default(null),
    /** The program that is used if there is no library. */
    nvidia_smi: localPathSchema.default('nvidia-smi'),
    every_s: z.number().min(0.1).max(3600).default(1).describe('poll interval of the driver, in seconds'),
    burst: burstSchema,
    /** Name of this machine; null: its host name. */
    host: z.string().min(1).max(200).nullable().default(null).describe('name of this machine; null: its host name'),
    /** The driver measures for 20 ms per GPU and direction at each poll. */
    pcie_throughput: z.boolean().default(true).describe('whether PCIe traffic is measured, 20 ms a GPU and direction'),
  })
  .meta({ title: 'NVML', description: "the NVIDIA GPUs of this machine, by the driver's library" });
export type NvmlPlan = z.output<typeof nvmlPlanSchema>;

export const libraryOf = ({ library }: Pick<NvmlPlan, 'library'>): string =>
  library ?? (process.platform === 'win32' ? 'nvml.dll' : 'libnvidia-ml.so.1');
