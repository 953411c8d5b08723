// Changes of one account's virtual numbers, as a client meets them: from a real server, whose answers can
// be made wrong. It is a handler for a server of faulty.ts, so that what goes wrong on the way can be put
// before it.

import { type IncomingMessage, request as send } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { rebuildStatements } from '../../server/store/log/change-log.ts';
import type { Handler } from './faulty.ts';
import type { ModelRow } from './model.ts';
import { load, openService, type Service, stores } from './service.ts';

const ACCOUNT = 'harbour-dental';

/** A list that changes, and the server that reports its changes. */
export class Feed {
  readonly token: string;
  readonly #service: Service;
  readonly #port: number;
  /** Added to every total that is reported with changes. */
  totalOff = 0;
  /** Whose token it is reported to be. */
  account = ACCOUNT;
  /** How many requests wait for a change. */
  waiting = 0;

  private constructor(service: Service, port: number) {
    this.#service = service;
    this.#port = port;
    this.token = service.tokenOf(ACCOUNT).token;
  }

  /** The embedded store of the tests. */
  static async open(): Promise<Feed> {
    const [kind] = stores;
    if (kind === undefined) throw new Error('There is no store to test with.');
    const service = await openService(kind, { accounts: [ACCOUNT] });
    return new Feed(service, await service.listen());
  }

  /** From now on these are all the virtual numbers of the account. */
  set(rows: readonly ModelRow[]): Promise<void> {
    return load(this.#service.operator, 'virtual_numbers', rows, [ACCOUNT]);
  }

  /** Forgets every change, as a step of the schema that rewrites the list. */
  async forget(): Promise<void> {
    const { operator } = this.#service;
    await operator.write(...rebuildStatements(operator.dialect, 'virtual_numbers', timestampOf(), [ACCOUNT]));
  }

  close(): Promise<void> {
    return this.#service.close();
  }

  /** Passes a request on to the server, and its answer back. */
  readonly answer: Handler = (response, request) => {
    const { method, url = '', headers } = request;
    if (headers['prefer'] !== undefined) {
      this.waiting += 1;
      response.once('close', () => {
        this.waiting -= 1;
      });
    }
    const onward = send({ host: '127.0.0.1', port: this.#port, method, path: url, headers, agent: false });
    onward.once('response', (answer: IncomingMessage) => {
      const { 'content-length': _, ...sent } = answer.headers;
      response.writeHead(answer.statusCode ?? 500, sent);
      const change = this.#changeOf(url);
      if (change === undefined) answer.pipe(response);
      else void textOf(answer).then((text) => response.end(change(text)));
    });
    onward.once('error', () => response.destroy());
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  };

  /** What is made wrong of an answer. */
  #changeOf(url: string): ((text: string) => string) | undefined {
    if (url === '/api/v1/account') return (text) => text.replace(ACCOUNT, this.account);
    if (!url.includes('/changes') || this.totalOff === 0) return undefined;
    return (text) => text.replace(/"total":(\d+)/, (_, total) => `"total":${Number(total) + this.totalOff}`);
  }
}
