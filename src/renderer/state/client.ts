import { create } from 'zustand';
import { assert } from '../../base/assert.ts';
import type { Input, Output } from '../../model/contract/index.ts';
import type { Client, StreamName } from '../client/client.ts';
import { messages } from './messages.ts';

type Followed = Extract<StreamName, 'capture.state' | 'case.changes'>;

interface Connection {
  readonly client: Client | null;
  /** Streams that this window follows for as long as it is connected. */
  readonly followed: readonly Followed[];
}

const useConnection = create<Connection>()(() => ({ client: null, followed: [] }));

export const setClient = (client: Client): void => useConnection.setState({ client });

/** The connection of this window; it exists after `start`. */
export function client(): Client {
  const { client: current } = useConnection.getState();
  assert(current, messages.noConnection);
  return current;
}

/** Follows a stream. Called after every response: after a lost connection, it is followed again as soon as the host answers. */
export async function follow<N extends Followed>(
  name: N,
  take: (event: Output<N>) => void | Promise<void>,
): Promise<void> {
  if (useConnection.getState().followed.includes(name)) return;
  useConnection.setState(({ followed }) => ({ followed: [...followed, name] }));
  try {
    for await (const event of client().stream(name, {} as Input<N>)) await take(event);
  } catch {
    // The connection reports its own loss; the next response uses a new one.
  } finally {
    useConnection.setState(({ followed }) => ({ followed: followed.filter((one) => one !== name) }));
  }
}
