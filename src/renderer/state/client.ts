import { assert } from '../../base/assert.ts';
import type { Client } from '../client/client.ts';

let current: Client | undefined;

export const setClient = (client: Client): void => {
  current = client;
};

/** The one connection of this window; there is none before `start` has run. */
export function client(): Client {
  assert(current, 'the window has no connection yet');
  return current;
}
