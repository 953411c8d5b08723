// Webhook endpoints as operators manage them, by the operations of both the command line and HTTP.

import type { Actor } from '../../server/operations/operation.ts';
import { type Given, readShape, type Shape } from '../../server/operations/shape.ts';
import type { WebhookSettings } from '../../server/operations/webhook-one.ts';
import { webhookOperations } from '../../server/operations/webhooks.ts';
import type { Store } from '../../server/store/store.ts';

type Members = Readonly<Record<string, unknown>>;

interface Runs<S extends Shape, Out> {
  readonly of: string;
  readonly takes: S;
  run(context: { readonly store: Store; readonly by: Actor }, given: Given<S>, id: string): Promise<Out>;
}

export class Webhooks {
  readonly #operations: ReturnType<typeof webhookOperations>;
  readonly #context: { readonly store: Store; readonly by: Actor };

  constructor(store: Store, settings: WebhookSettings, by: Actor) {
    this.#operations = webhookOperations(settings);
    this.#context = { store, by };
  }

  async #do<S extends Shape, Out>(operation: Runs<S, Out>, given: Members = {}, id = ''): Promise<Out> {
    return operation.run(this.#context, readShape(operation.takes, given, operation.of), id);
  }

  create(account_id: string, given: Members) {
    return this.#do(this.#operations.create, { account_id, ...given });
  }
  async list(account: string | undefined) {
    return (await this.#do(this.#operations.list, { account })).data;
  }
  change(id: string, given: Members) {
    return this.#do(this.#operations.update, given, id);
  }
  rotate(id: string, overlapMs: number) {
    return this.#do(this.#operations.rotate, { overlap: `${overlapMs / 60_000}m` }, id);
  }
  replay(id: string, from: string) {
    return this.#do(this.#operations.replay, { from }, id);
  }
  show = (id: string) => this.#do(this.#operations.show, {}, id);
  test = (id: string, given: Members = {}) => this.#do(this.#operations.test, given, id);
  pause = (id: string) => this.#do(this.#operations.pause, {}, id);
  skip = (id: string) => this.#do(this.#operations.skip, {}, id);
  enable = (id: string) => this.#do(this.#operations.enable, {}, id);
  delete = (id: string) => this.#do(this.#operations.delete, {}, id);
}
