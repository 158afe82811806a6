import { z } from 'zod';
import { hasNoPassword } from '../plan/plain-url.ts';
import { secretSchema } from '../plan/secret.ts';

const service = z.url({ protocol: /^https?$/ }).refine(hasNoPassword, 'bears no password');

export const azurePlanSchema = z
  .strictObject({
    kind: z.literal('azure'),
    /** null: `Azure` and the beginning of the subscription. */
    name: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('what its source is called; null: Azure and the beginning of the subscription'),
    subscription: z.uuid().describe('the id of the subscription'),
    /** null: all of the subscription. */
    resource_group: z
      .string()
      .regex(/^[\w().-]{1,90}$/, 'is the name of a resource group')
      .nullable()
      .default(null)
      .describe('null: all of the subscription'),
    /** Events of Service Health beside the state of each machine. */
    service_events: z.boolean().default(true).describe('events of Service Health beside the state of each machine'),
    /** Where an access token is, instead of credentials where they usually are. */
    token: secretSchema
      .nullable()
      .default(null)
      .describe('where an access token is; null: credentials where they usually are'),
    every_s: z.number().min(1).max(3600).default(60).describe('how often it is asked'),
    timeout_s: z.number().min(0.1).max(300).default(20).describe('how long an answer is waited for'),
    /** Of the Resource Manager, for other clouds and private endpoints. */
    endpoint: service
      .default('https://management.azure.com')
      .describe('of the Resource Manager, for other clouds and private endpoints'),
    /** Who gives tokens; null: the public cloud's. Nobody else is asked then whether it is an authority. */
    authority: service
      .nullable()
      .default(null)
      .describe('who gives tokens, for other clouds; null: as the public cloud has it'),
  })
  .meta({ title: 'Microsoft Azure', description: 'Resource Health and Service Health of a subscription' });
export type AzurePlan = z.output<typeof azurePlanSchema>;
