import { fail, ProblemError } from '../../../model/problem.ts';

const SERVICE = 'faultline';
const HINT =
  'on Linux a Secret Service has to run in the session (gnome-keyring, KWallet, KeePassXC); else name an environment variable, env:NAME';

/**
 * Entries of the system's keychain: Keychain on macOS, Credential Manager on Windows, Secret Service on Linux
 * (specifications.freedesktop.org/secret-service-spec). The kernel's keyring is not used: a restart clears it.
 *
 * The library is native, so it is loaded on demand.
 *
 * @throws ProblemError keychain.unavailable
 */
async function entryOf(name: string) {
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring');
    return new AsyncEntry(SERVICE, name, { linux: { store: 'secret-service' } });
  } catch (error) {
    return unavailable(error);
  }
}

function unavailable(error: unknown): never {
  if (error instanceof ProblemError) throw error;
  const why = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').trim().slice(0, 160);
  return fail('keychain.unavailable', `no keychain can be used here: ${why}`, { hint: HINT });
}

/** null: there is no entry of that name. @throws ProblemError keychain.unavailable */
export async function fromKeychain(name: string): Promise<string | null> {
  const entry = await entryOf(name);
  return (await entry.getPassword().catch(unavailable)) ?? null;
}

/** Secrets that plans refer to as `keychain:NAME`. */
export const keychain = {
  saveSecret: async (name: string, secret: string): Promise<void> => {
    const entry = await entryOf(name);
    await entry.setPassword(secret).catch(unavailable);
  },
  forget: async (name: string): Promise<boolean> => {
    if ((await fromKeychain(name)) === null) return false;
    const entry = await entryOf(name);
    await entry.deleteCredential().catch(unavailable);
    return true;
  },
};
