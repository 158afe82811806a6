import { z } from 'zod';
import { hasNoPassword } from '../plan/plain-url.ts';
import { secretSchema } from '../plan/secret.ts';

const service = z.url({ protocol: /^https?$/ }).refine(hasNoPassword, 'must not contain a password');

export const azurePlanSchema = z
  .strictObject({
    kind: z.literal('azure'),
    /** null: `Azure` and the start of the subscription. */
    name: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('name of its data source; null: Azure and the start of the subscription'),
    subscription: z.uuid().describe('the id of the subscription'),
    /** null: all of the subscription. */
    resource_group: z
      .string()
      .regex(/^[\w().-]{1,90}$/, 'is the name of a resource group')
      .nullable()
      .default(null)
      .describe('null: all of the subscription'),
    /** Also poll events of Service Health. */
    service_events: z.boolean().default(true).describe('also poll events of Service Health'),
    /** Reference to an access token; null: credentials at their usual places. */
    token: secretSchema
      .nullable()
      .default(null)
      .describe('where an access token is; null: credentials at their usual places'),
    every_s: z.number().min(1).max(3600).default(60).describe('poll interval in seconds'),
    timeout_s: z.number().min(0.1).max(300).default(20).describe('request timeout in seconds'),
    /** Endpoint of the Resource Manager, for other clouds and private endpoints. */
    endpoint: service
      .default('https://management.azure.com')
      .describe('endpoint of the Resource Manager, for other clouds and private endpoints'),
    /** Token authority; null: the public cloud's. If set, the library does no instance discovery. */
    authority: service.nullable().default(null).describe("token authority, for other clouds; null: the public cloud's"),
  })
  .meta({ title: 'Microsoft Azure', description: 'Resource Health and Service Health of a subscription' });
export type AzurePlan = z.output<typeof azurePlanSchema>;
