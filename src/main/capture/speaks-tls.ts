import { connect } from 'node:tls';

const PATIENCE_MS = 2000;

/** What an HTTP server for TLS says to plain HTTP: nothing, an alert, or (nginx, Go) that the request was a bad one. */
const misunderstood = /^(HPE_|UND_ERR_SOCKET$|ECONNRESET$|EPIPE$|400$)/;

/**
 * Why plain HTTP was not understood, where that is why.
 *
 * @param what the system's code of the failure, or the status that was answered
 * @returns null: something else is wrong
 */
export async function whyNotPlain(url: string, what: string): Promise<string | null> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'http:' || !misunderstood.test(what)) return null;
  return (await speaksTls(hostname, Number(port) || 80)) ? 'this port speaks HTTPS; write https://' : null;
}

/** Whether a port answers a TLS handshake, whoever its certificate is of. */
async function speaksTls(host: string, port: number): Promise<boolean> {
  // Nothing is sent to it but the handshake.
  const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port, rejectUnauthorized: false });
  try {
    return await new Promise<boolean>((resolve) => {
      socket.setTimeout(PATIENCE_MS, () => resolve(false));
      socket.once('secureConnect', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('close', () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}
