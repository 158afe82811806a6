import { AwsV4Signer } from 'aws4fetch';
import { lazy } from '../../../base/lazy.ts';
import { secret } from '../../capture/plan/secret.ts';
import type { Login } from '../http/login.ts';
import type { BucketPlan } from './plan.ts';

/** Signature of each request (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html); none for a public bucket. */
export function bucketLogin({ access_key, secret_key, session_token, region }: BucketPlan): Login {
  const read = lazy(async () => ({
    key: secret_key === null ? null : await secret(secret_key),
    token: session_token === null ? null : await secret(session_token),
  }));
  return {
    references: [secret_key, session_token].filter((one) => one !== null),
    headers: async ({ method, url, headers }) => {
      const { key, token } = await read();
      if (access_key === null || key === null) return {};
      const signer = new AwsV4Signer({
        method,
        url,
        headers,
        accessKeyId: access_key,
        secretAccessKey: key,
        ...(token !== null && { sessionToken: token }),
        service: 's3',
        region,
      });
      return Object.fromEntries([...(await signer.sign()).headers].filter(([name]) => name !== 'host'));
    },
    sent: async () => {
      const { key, token } = await read();
      return [key, token].filter((one): one is string => one !== null && one !== '');
    },
  };
}
