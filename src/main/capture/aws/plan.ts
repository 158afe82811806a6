import { z } from 'zod';

export const awsPlanSchema = z
  .strictObject({
    kind: z.literal('aws'),
    /** null: `AWS` and the region. */
    name: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('name of its data source; null: AWS and the region'),
    region: z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'is a region: us-east-1')
      .describe('the region to poll: us-east-1'),
    /** Profile of the shared configuration; null: as in the environment. */
    profile: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('a profile of the shared configuration; null: as in the environment'),
    /** AWS Health, which requires a business support plan. */
    health: z.boolean().default(true).describe('poll AWS Health, which requires a business support plan'),
    /** Instances whose CloudWatch metrics are polled; none: CloudWatch is not polled. */
    instances: z
      .array(z.string().regex(/^i-[0-9a-f]{8,17}$/, 'is an instance: i-0abc…'))
      .max(500)
      .default([])
      .describe('instances whose CloudWatch metrics are polled; none: CloudWatch is not polled'),
    namespace: z.string().min(1).max(255).default('AWS/EC2').describe('of the metrics'),
    metrics: z
      .array(z.string().regex(/^[A-Za-z]\w*$/))
      .min(1)
      .max(20)
      .default(['CPUUtilization', 'StatusCheckFailed_Instance', 'StatusCheckFailed_System', 'NetworkIn', 'NetworkOut'])
      .describe('their names in CloudWatch'),
    /** Aggregation period of CloudWatch; 60 needs detailed monitoring. */
    period_s: z
      .number()
      .int()
      .refine((s) => [1, 5, 10, 30].includes(s) || (s >= 60 && s % 60 === 0), 'is 1, 5, 10, 30 or whole minutes')
      .default(300)
      .describe('aggregation period of CloudWatch in seconds; 60 needs detailed monitoring'),
    /** How far back the first poll goes. */
    history_s: z
      .number()
      .int()
      .min(60)
      .max(14 * 86_400)
      .default(3600)
      .describe('how far back the first poll goes, in seconds'),
    every_s: z.number().min(1).max(3600).default(60).describe('poll interval in seconds'),
    timeout_s: z.number().min(0.1).max(300).default(20).describe('request timeout in seconds'),
    /** Endpoint of both services, for private endpoints; null: AWS's default. */
    endpoint: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .default(null)
      .describe("a private endpoint for both services; null: AWS's default"),
  })
  .refine(({ health, instances }) => health || instances.length > 0, {
    message: 'polls nothing: health is off and there are no instances',
    path: ['health'],
  })
  .meta({ title: 'Amazon Web Services', description: 'AWS Health and the CloudWatch metrics of instances' });
export type AwsPlan = z.output<typeof awsPlanSchema>;
