import { createHash } from 'node:crypto';

const ALGORITHM = 'sha512-256';

/**
 * What a file is known by: SHA-512/256 (FIPS 180-4), half again as fast as SHA-256 on 64-bit processors without
 * instructions for either (570 against 377 MiB/s), and anybody can check it: `openssl dgst -sha512-256 FILE`.
 */
export function createDigest(): { update(bytes: Uint8Array | string): void; text(): string } {
  const hash = createHash(ALGORITHM);
  return {
    update: (bytes) => void hash.update(bytes),
    /** `sha512-256:` and 64 hexadecimal digits. */
    text: () => `${ALGORITHM}:${hash.digest('hex')}`,
  };
}
