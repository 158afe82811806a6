import { z } from 'zod';
import { burstSchema } from '../burst.ts';
import { localPathSchema } from '../plan/local-path.ts';

export const nvmlPlanSchema = z
  .strictObject({
    kind: z.literal('nvml'),
    name: z.string().min(1).max(200).default('NVML').describe('what its source is called'),
    /** The driver's library; null: where the driver puts it. */
    library: localPathSchema.nullable().default(null),
    /** The program that is asked where there is no library. */
    nvidia_smi: localPathSchema.default('nvidia-smi'),
    every_s: z.number().min(0.1).max(3600).default(1).describe('how often the driver is asked, in seconds'),
    burst: burstSchema,
    /** The machine that this is; null: as it calls itself. */
    host: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('the machine that this is; null: as it calls itself'),
    /** The driver measures for 20 ms a GPU and direction each time that it is asked. */
    pcie_throughput: z.boolean().default(true).describe('whether PCIe traffic is measured, 20 ms a GPU and direction'),
  })
  .meta({ title: 'NVML', description: "the NVIDIA GPUs of this machine, by the driver's library" });
export type NvmlPlan = z.output<typeof nvmlPlanSchema>;

export const libraryOf = ({ library }: Pick<NvmlPlan, 'library'>): string =>
  library ?? (process.platform === 'win32' ? 'nvml.dll' : 'libnvidia-ml.so.1');
