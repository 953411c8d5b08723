// The address of a MySQL or MariaDB server -> the options of its driver. It must not connect.

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hasCertificate } from '../../certificates.ts';
import { SourceFault } from './source.ts';

const PORT = 3306;
const MODES = ['DISABLED', 'REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'] as const;
const PARAMETERS = ['ssl-mode', 'ssl-ca', 'socket'];

export interface MysqlAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database?: string;
  readonly socketPath?: string;
  readonly ssl?: {
    readonly rejectUnauthorized: boolean;
    readonly verifyIdentity: boolean;
    readonly ca?: string;
  };
}

function modeOf(text: string | null, ca: string | null): (typeof MODES)[number] {
  if (text === null) return ca === null ? 'DISABLED' : 'VERIFY_CA';
  const mode = MODES.find((one) => one === text.toUpperCase());
  if (mode === undefined)
    throw new SourceFault(`ssl-mode of the address must be one of ${MODES.join(', ')}.`);
  return mode;
}

function certificate(path: string): string {
  let file: Buffer;
  try {
    file = readFileSync(path);
  } catch (error) {
    throw new SourceFault(`ssl-ca of the address cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  if (hasCertificate(file)) return file.toString('utf8');
  throw new SourceFault('ssl-ca of the address has no complete certificate in PEM format.');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new SourceFault('The address is not well-formed: write a % in it as %25.', { cause: error });
  }
}

/** @throws {SourceFault} when the address has what none may have. */
export function mysqlAddress(url: string): MysqlAddress {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const unknown = [...searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined)
    throw new SourceFault(
      `The address of a MySQL database takes ${PARAMETERS.join(', ')}, but not ${unknown}.`,
    );
  const ca = searchParams.get('ssl-ca');
  const mode = modeOf(searchParams.get('ssl-mode'), ca);
  const socketPath = searchParams.get('socket');
  // An IPv6 address stands in brackets in a URL and without them elsewhere.
  const host = decode(hostname).replace(/^\[(.*)\]$/, '$1') || 'localhost';
  // The driver compares names alone with the certificate, and would let any pass for an address.
  if (mode === 'VERIFY_IDENTITY' && (isIP(host) !== 0 || socketPath !== null))
    throw new SourceFault(
      'ssl-mode=VERIFY_IDENTITY needs the name of the server in its address, such as db.example.com.',
    );
  const database = decode(pathname.slice(1));
  return {
    host,
    port: port === '' ? PORT : Number(port),
    user: decode(username),
    password: decode(password),
    ...(database === '' ? {} : { database }),
    ...(socketPath === null ? {} : { socketPath }),
    ...(mode === 'DISABLED'
      ? {}
      : {
          ssl: {
            rejectUnauthorized: mode !== 'REQUIRED',
            verifyIdentity: mode === 'VERIFY_IDENTITY',
            ...(ca === null ? {} : { ca: certificate(ca) }),
          },
        }),
  };
}
