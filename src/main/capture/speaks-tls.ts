import { connect } from 'node:tls';

const PATIENCE_MS = 2000;

/** How a TLS server answers plain HTTP: it closes the connection, sends an alert, or answers 400 (nginx, Go). */
const misunderstood = /^(HPE_|UND_ERR_SOCKET$|ECONNRESET$|EPIPE$|400$)/;

/**
 * Checks whether a plain HTTP request failed because the port expects TLS.
 *
 * @param what the system's error code, or the response status
 * @returns a message, or null if there is another cause
 */
export async function whyNotPlain(url: string, what: string): Promise<string | null> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'http:' || !misunderstood.test(what)) return null;
  return (await speaksTls(hostname, Number(port) || 80)) ? 'this port speaks HTTPS; write https://' : null;
}

/** Whether a port answers a TLS handshake, with any certificate. */
async function speaksTls(host: string, port: number): Promise<boolean> {
  // Only the handshake is sent.
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
