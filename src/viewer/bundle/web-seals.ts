import type { Seals } from '../../core/bundle/check-bundle.ts';
import { fail } from '../../model/problem.ts';
import { type BundleManifest, signedText } from '../../model/storage/bundle.ts';

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

const sha256 = async (bytes: BufferSource): Promise<string> => hex(await crypto.subtle.digest('SHA-256', bytes));

/** The browser's own cryptography; it hashes whole members only. */
export const webSeals: Seals = {
  sha256: async (pieces) => {
    const parts: BlobPart[] = [];
    for await (const piece of pieces) parts.push(piece as Uint8Array<ArrayBuffer>);
    return sha256(parts.length === 1 ? (parts[0] as Uint8Array<ArrayBuffer>) : await new Blob(parts).arrayBuffer());
  },
  signature: async ({ root, signature }) => {
    if (!signature) return { wrong: null, signed_by: null };
    const key = fromBase64(signature.public_key);
    const signed_by = await sha256(key);
    const isOurs = await isSigned(root, key, signature);
    return { wrong: isOurs ? null : 'it does not belong to this root hash', signed_by };
  },
};

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array(0);
  }
}

/** Ed25519 (RFC 8032), as `faultline export --sign` does it. */
async function isSigned(
  root: string,
  der: Uint8Array<ArrayBuffer>,
  { value }: NonNullable<BundleManifest['signature']>,
): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('spki', der, { name: 'Ed25519' }, false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, fromBase64(value), new TextEncoder().encode(signedText(root)));
  } catch (error) {
    // A browser without Ed25519 cannot judge the signature.
    if (error instanceof Error && error.name === 'NotSupportedError')
      return fail('viewer.no_signatures', 'this browser cannot check signatures (Ed25519)', {
        hint: 'use a newer one, or: faultline verify',
      });
    return false;
  }
}
