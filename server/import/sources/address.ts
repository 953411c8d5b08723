// The address of a source: which database it names, how a message shows it, and what opens it. A driver is
// loaded only when an address names its database.

import { decoded } from '@linecard/client/contract/query-faults';
import { parameterFault } from '../../postgres-url.ts';
import { mysqlAddress } from './mysql-address.ts';
import { type OpenSource, SourceFault } from './source.ts';

const FORMS =
  'postgres://user:password@host:5432/database or mysql://user:password@host:3306/database; write special characters of the password percent-encoded';

const MYSQL = ['mysql:', 'mariadb:'];
const OPENERS: Readonly<Record<string, () => Promise<OpenSource>>> = {
  'postgres:': async () => (await import('./postgres.ts')).openPostgres,
  'postgresql:': async () => (await import('./postgres.ts')).openPostgres,
  'mysql:': async () => (await import('./mysql.ts')).openMysql,
  'mariadb:': async () => (await import('./mysql.ts')).openMysql,
};

/** Why an address is none, as a sentence that does not repeat it: it may hold a password. */
export function addressFault(url: string): string | undefined {
  const scheme = URL.canParse(url) ? new URL(url).protocol : '';
  if (!(scheme in OPENERS)) return `The address of the database to pull from must look like ${FORMS}.`;
  if (!MYSQL.includes(scheme)) {
    const fault = parameterFault(url);
    return fault && `The address of the database to pull from ${fault}`;
  }
  try {
    mysqlAddress(url);
    return undefined;
  } catch (error) {
    if (error instanceof SourceFault) return error.message;
    throw error;
  }
}

/** Host, port and database: what a message may show of an address. */
export function databaseName(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host === '' ? 'the local server' : host}${pathname === '/' ? '' : pathname}`;
}

/** A message without the password of the address, however it is spelled there. */
export function withoutPassword(message: string, url: string): string {
  const { password, searchParams } = new URL(url);
  const secrets = [password, ...searchParams.getAll('password')].flatMap((secret) => [
    secret,
    decoded(secret) ?? secret,
  ]);
  return secrets
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '***'), message);
}

/** The result of a query to whatever database its address names. */
export const openSource: OpenSource = async (query) => {
  const opener = OPENERS[new URL(query.url).protocol];
  if (opener === undefined) throw new SourceFault(addressFault(query.url) ?? '');
  return (await opener())(query);
};
