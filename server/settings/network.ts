// The settings of where and how the service is reached, beside its host and port: a part of the table of
// settings.

import { anyText, integer, optionalText, setting } from './kinds.ts';

export const networkSettings = {
  socket: setting({
    ...optionalText,
    value: 'path',
    about: 'a Unix socket to listen on in place of --host and --port; its group may use it',
  }),
  tls_cert: setting({
    ...optionalText,
    value: 'file',
    about: 'the certificate to speak TLS with, and those behind it, as PEM; read anew when the file changes',
  }),
  tls_key: setting({ ...optionalText, value: 'file', about: 'the key of --tls-cert, as PEM' }),
  keep_alive: setting({
    ...integer(1, 3_600, 'seconds'),
    default: 75,
    about: 'how long a connection may be idle between two requests; longer than the proxy in front keeps it',
  }),
  idle_timeout: setting({
    ...integer(2, 3_600, 'seconds'),
    default: 10,
    about:
      'how long a connection may be silent before its first request or amid one, and half as long as amid an answer',
  }),
  max_connections: setting({
    ...integer(0, 1_000_000),
    default: 4_000,
    about: 'connections at once, in each process; one more is answered 503; 0 for no limit',
  }),
  max_connections_per_address: setting({
    ...integer(0, 1_000_000),
    default: 500,
    about: 'connections at once from one address that is no proxy of --trust-proxy; 0 for no limit',
  }),
  metrics_port: setting({
    ...integer(0, 65_535, 'port'),
    default: undefined as number | undefined,
    about: 'the port to answer GET /metrics on, for Prometheus, such as 9464; not at all when not given',
  }),
  metrics_host: setting({
    ...anyText,
    value: 'address',
    default: '127.0.0.1',
    about: 'the address to answer /metrics on; everyone that reaches it may read them',
  }),
} as const;
