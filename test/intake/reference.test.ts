// The OpenAPI document of the intake and its reference: every route is in it, and what it shows is true.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createOperatorToken } from '../../server/store/access/tokens.ts';
import { type Intake, openIntake } from '../kit/intake-server.ts';
import { stores } from '../kit/service.ts';

describe('the reference of the intake', () => {
  let intake: Intake;
  // biome-ignore lint/suspicious/noExplicitAny: a document is looked at as JSON.
  let document: any;
  before(async () => {
    const [kind] = stores;
    assert.ok(kind);
    intake = await openIntake(kind, { publicUrl: 'https://numbers.example.com' });
    document = await (await fetch(`${intake.url}/intake/v1/openapi.json`)).json();
  });
  after(() => intake.close());

  const operationsIn = (): [string, string][] =>
    Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method): [string, string] => [path, method.toUpperCase()]),
    );

  test('has every route that needs a token, and no other', async () => {
    const PUBLIC = ['/intake/v1/openapi.json', '/intake/docs', '/healthz', '/readyz'];
    const urlOf = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');
    const pathsByUrl = new Map(operationsIn().map(([path]) => [urlOf(path), path]));
    for (const [url, path] of pathsByUrl) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        const isThere = intake.server.app.hasRoute({ method, url });
        const isShown = document.paths[path][method.toLowerCase()] !== undefined;
        assert.equal(isShown, isThere, `${method} ${url}`);
      }
    }
    const parts: string[] = [];
    const paths: string[] = [];
    for (const text of intake.server.app.printRoutes({ commonPrefix: false }).split('\n')) {
      const [, indent = '', part = '', methods] = /^([│ ]*)[├└]── (\S+)( \()?/.exec(text) ?? [];
      parts.splice(indent.length / 4, parts.length, part);
      if (methods !== undefined) paths.push(parts.join(''));
    }
    assert.ok(paths.length > 10);
    const shown = [...pathsByUrl.keys(), ...PUBLIC];
    assert.deepEqual(
      paths.filter((path) => !shown.includes(path)),
      [],
    );
  });

  test('answers as its examples say', async () => {
    const may = ['accounts', 'tokens', 'sign-in', 'webhooks', 'audit'] as const;
    const { token } = await createOperatorToken(intake.operator, { name: 'portal', may });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    for (const [path, schema] of [
      ['accounts', 'Account'],
      ['tokens', 'NewToken'],
      ['sign-ins', 'SignIn'],
      ['webhooks', 'WebhookWithSecret'],
    ] as const) {
      const { post } = document.paths[`/intake/v1/${path}`];
      const { example } = post.requestBody.content['application/json'];
      const { status, json, text } = await intake.sendWith('POST', path, JSON.stringify(example), headers);
      assert.equal(status, 201, text);
      const { properties, required } = document.components.schemas[schema];
      assert.deepEqual(Object.keys(json), Object.keys(properties), path);
      assert.deepEqual(Object.keys(properties), required);
    }
    for (const [path, schema] of [
      ['accounts', 'AccountPage'],
      ['tokens', 'TokenPage'],
      ['audit', 'AuditEntryPage'],
      ['runs', 'RunPage'],
    ] as const) {
      const { json } = await intake.sendWith('GET', path, undefined, headers);
      const { properties } = document.components.schemas[schema];
      assert.deepEqual(Object.keys(json), Object.keys(properties));
      const members = Object.keys(properties.data.items.properties);
      for (const one of json.data) assert.deepEqual(Object.keys(one), members, path);
    }
  });

  test('refers to nothing that it does not have, and names each operation once', () => {
    const text = JSON.stringify(document);
    for (const [, reference = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = reference.split('/').reduce((at, step) => at?.[step], document);
      assert.ok(found !== undefined, reference);
    }
    const ids = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, operationsIn().length);
    assert.equal(ids.length, new Set(ids).size);
  });

  test('is a page that has each operation, and no script but that of the reference', async () => {
    const answer = await fetch(`${intake.url}/intake/docs`);
    assert.match(String(answer.headers.get('content-type')), /^text\/html/);
    const page = await answer.text();
    assert.equal(page.match(/<script/g)?.length, 1);
    for (const [path, method] of operationsIn())
      assert.ok(page.includes(`<b>${method}</b> <code>${path}</code>`), `${method} ${path}`);
    assert.ok(page.includes('href="v1/openapi.json"'));
  });
});
