// The settings of where and how the service is reached, beside its host and port: a part of the table of
// settings.

import { anyText, integer, optionalText, setting, shortTime } from './kinds.ts';

export const networkSettings = {
  socket: setting({
    ...optionalText,
    value: 'path',
    about: 'a Unix socket to listen on in place of --host and --port; its group may use it',
  }),
  tls_cert: setting({
    ...optionalText,
    value: 'file',
    about: 'the certificate for TLS with its chain, as PEM; read again when the file changes',
  }),
  tls_key: setting({ ...optionalText, value: 'file', about: 'the key of --tls-cert, as PEM' }),
  keep_alive: setting({
    ...integer(1, 3_600, 'seconds'),
    default: 75,
    about: 'how long a connection may be idle between two requests; longer than the proxy in front keeps it',
  }),
  drain: setting({
    ...shortTime(true),
    default: 0,
    about: 'how long to keep answering after SIGTERM, while /readyz fails and idle connections are closed',
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
