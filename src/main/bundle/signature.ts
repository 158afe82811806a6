import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { fail } from '../../model/problem.ts';
import { type BundleManifest, signedText } from '../../model/storage/bundle.ts';

const derOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
const fingerprint = (der: Uint8Array): string => createHash('sha256').update(der).digest('hex');

/**
 * Signs a root hash (Ed25519, RFC 8032).
 * @param pem a private key, PKCS 8 as `openssl genpkey -algorithm ed25519` writes it
 * @throws ProblemError bundle.bad_key
 */
export function signRoot(root: string, pem: string): NonNullable<BundleManifest['signature']> {
  const key = ed25519(() => createPrivateKey(pem), 'private');
  return {
    algorithm: 'ed25519',
    public_key: derOf(createPublicKey(key)).toString('base64'),
    value: sign(null, Buffer.from(signedText(root)), key).toString('base64'),
  };
}

function ed25519(read: () => KeyObject, kind: 'private' | 'public'): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = read();
  } catch {
    // The library's message on an unreadable key could contain a part of the key.
  }
  if (key?.asymmetricKeyType === 'ed25519') return key;
  return fail('bundle.bad_key', `this is no ${kind} Ed25519 key in PEM`, {
    hint:
      kind === 'private'
        ? 'openssl genpkey -algorithm ed25519 -out key.pem makes one'
        : 'openssl pkey -in key.pem -pubout -out public.pem takes it from the private one',
  });
}

/**
 * @param expected the public key (PEM) that must have signed; null: any
 * @returns what is wrong with the signature, null where nothing is, and SHA-256 of the key that signed
 * @throws ProblemError bundle.bad_key
 */
export function checkSignature(
  { root, signature }: BundleManifest,
  expected: string | null,
): { readonly wrong: string | null; readonly signed_by: string | null } {
  const wanted = expected === null ? null : derOf(ed25519(() => createPublicKey(expected), 'public'));
  if (!signature) return { wrong: wanted ? 'it is not signed' : null, signed_by: null };
  const der = Buffer.from(signature.public_key, 'base64');
  const signed_by = fingerprint(der);
  if (!isSigned(root, der, signature.value)) return { wrong: 'it does not belong to this root hash', signed_by };
  if (wanted && !wanted.equals(der)) return { wrong: `another key signed it (${signed_by})`, signed_by };
  return { wrong: null, signed_by };
}

function isSigned(root: string, der: Buffer, value: string): boolean {
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const isOurs = key.asymmetricKeyType === 'ed25519';
    return isOurs && verify(null, Buffer.from(signedText(root)), key, Buffer.from(value, 'base64'));
  } catch {
    return false;
  }
}
