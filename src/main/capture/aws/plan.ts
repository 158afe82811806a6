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
      .describe('what its source is called; null: AWS and the region'),
    region: z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'is a region: us-east-1')
      .describe('the region that is asked about: us-east-1'),
    /** Of the shared configuration; null: as the environment says. */
    profile: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('a profile of the shared configuration; null: as the environment says'),
    /** AWS Health, which only accounts with a support plan for businesses may ask. */
    health: z.boolean().default(true).describe('AWS Health is asked, which needs a support plan for businesses'),
    /** Whose metrics CloudWatch is asked for; none: it is not asked. */
    instances: z
      .array(z.string().regex(/^i-[0-9a-f]{8,17}$/, 'is an instance: i-0abc…'))
      .max(500)
      .default([])
      .describe('whose metrics CloudWatch is asked for; none: it is not asked'),
    namespace: z.string().min(1).max(255).default('AWS/EC2').describe('of the metrics'),
    metrics: z
      .array(z.string().regex(/^[A-Za-z]\w*$/))
      .min(1)
      .max(20)
      .default(['CPUUtilization', 'StatusCheckFailed_Instance', 'StatusCheckFailed_System', 'NetworkIn', 'NetworkOut'])
      .describe('their names in CloudWatch'),
    /** Over which CloudWatch sums up; 60 needs detailed monitoring. */
    period_s: z
      .number()
      .int()
      .refine((s) => [1, 5, 10, 30].includes(s) || (s >= 60 && s % 60 === 0), 'is 1, 5, 10, 30 or whole minutes')
      .default(300)
      .describe('seconds that CloudWatch sums up; 60 needs detailed monitoring'),
    /** How far back the first question goes. */
    history_s: z
      .number()
      .int()
      .min(60)
      .max(14 * 86_400)
      .default(3600)
      .describe('how far back the first question goes'),
    every_s: z.number().min(1).max(3600).default(60).describe('how often it is asked'),
    timeout_s: z.number().min(0.1).max(300).default(20).describe('how long an answer is waited for'),
    /** Of both services, for private endpoints; null: as AWS has them. */
    endpoint: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .default(null)
      .describe('a private one, of both services; null: as AWS has them'),
  })
  .refine(({ health, instances }) => health || instances.length > 0, {
    message: 'asks for nothing: health is off and there are no instances',
    path: ['health'],
  })
  .meta({ title: 'Amazon Web Services', description: 'AWS Health and the CloudWatch metrics of instances' });
export type AwsPlan = z.output<typeof awsPlanSchema>;
