/** Messages for the system's connection error codes. */
export const connectionFailures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up now',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  ECONNRESET: 'it closed the connection',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  // The server answered a TLS handshake in plain text.
  EPROTO: 'this port does not speak HTTPS; write http://',
  ERR_SSL_WRONG_VERSION_NUMBER: 'this port does not speak HTTPS; write http://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'this port does not speak HTTPS; write http://',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is its own',
};
