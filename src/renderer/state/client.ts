import { assert } from '../../base/assert.ts';
import type { Client } from '../client/client.ts';
import { messages } from './messages.ts';

let current: Client | undefined;

export const setClient = (client: Client): void => {
  current = client;
};

/** The connection of this window; it exists after `start`. */
export function client(): Client {
  assert(current, messages.noConnection);
  return current;
}
