// The settings of the port, TLS, connections and metrics.

import { anyText, integer, optional, optionalText, setting, shortTime } from './kinds.ts';

export const networkSettings = {
  socket: setting({
    ...optionalText('path'),
    about: 'a Unix socket to listen on instead of --host and --port; its group has access',
  }),
  tls_cert: setting({
    ...optionalText('file'),
    about: 'the TLS certificate with its chain, in PEM format; reloaded when the file changes',
  }),
  tls_key: setting({ ...optionalText('file'), about: 'the private key of --tls-cert, in PEM format' }),
  keep_alive: setting({
    ...integer(1, 3_600, 'seconds'),
    default: 75,
    about: 'how long an idle connection stays open; longer than the idle timeout of the proxy in front',
  }),
  drain: setting({
    ...shortTime(true),
    default: 0,
    about: 'how long to keep answering after SIGTERM, while /readyz fails and idle connections are closed',
  }),
  metrics_port: setting({
    ...optional(integer(0, 65_535, 'port')),
    about: 'the port for GET /metrics, for Prometheus, such as 9464; disabled if not given',
  }),
  metrics_host: setting({
    ...anyText,
    value: 'address',
    default: '127.0.0.1',
    about: 'the address for /metrics; anyone who can reach it can read them',
  }),
} as const;
