// Why a request was refused, as the line of its log says: a word of Linecard, whose token it was where that
// is known, and nothing that the request has sent.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type JwtSettings, Jwts } from '../../server/http/jwt/jwt.ts';
import type { Answered } from '../../server/log.ts';
import { disableAccount } from '../../server/store/access/accounts.ts';
import type { TokenLimits } from '../../server/store/access/token-scopes.ts';
import { createToken, endToken, revokeToken } from '../../server/store/access/tokens.ts';
import { type Claims, Issuer } from '../kit/issuer.ts';
import { openService, type Service, stores } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const LIST = '/api/v1/did/me';
const PUBLIC_URL = 'https://numbers.example.com';
const WELL_FORMED = 'lc_00000000000000000000000000000000000000000000';
const SHOWN = ['status', 'problem', 'reason', 'token_id', 'account_id', 'client'] as const;

for (const kind of stores) {
  describe(`the log of refused requests on ${kind.name}`, () => {
    let service: Service;
    let issuer: Issuer;
    let jwts: Jwts;
    const lines: Answered[] = [];
    before(async () => {
      issuer = await Issuer.open();
      const identity: JwtSettings = {
        issuer: issuer.url,
        publicUrl: PUBLIC_URL,
        audiences: [PUBLIC_URL],
        maxLifetimeMs: 86_400_000,
        accountClaim: 'account',
        scopes: false,
      };
      jwts = await Jwts.open(identity, { logger: { info() {}, warn() {} } });
      await until('the keys are there', () => jwts.keysAgeSeconds !== undefined);
      const onAnswered = (answered: Answered) => lines.push(answered);
      service = await openService(kind, { accounts: ['acme', 'closed'], jwts, onAnswered });
    });
    after(async () => {
      await service.close();
      jwts.close();
      issuer.close();
    });

    /** What the line of a request says of why. */
    async function lineOf(url: string, headers: Record<string, string>) {
      lines.length = 0;
      await service.send('GET', url, headers);
      const line = await until('the line is there', () => lines[0]);
      return SHOWN.map((name) => line[name]);
    }

    async function made(account_id: string, limits: Partial<TokenLimits> = {}) {
      const created = await createToken(service.operator, account_id, 'one', undefined, limits);
      return created ?? assert.fail();
    }

    test('a token that was revoked or has expired, or whose account is disabled, is named', async () => {
      const [revoked, expired, closed] = [await made('acme'), await made('acme'), await made('closed')];
      await revokeToken(service.operator, revoked.id);
      await endToken(service.operator, expired.id, Date.now() - 1);
      await disableAccount(service.operator, 'closed');
      const of = ({ token }: { token: string }) => lineOf(LIST, { authorization: `Bearer ${token}` });
      const refused = (reason: string, id: string, account: string) => [
        401,
        'unauthenticated',
        reason,
        id,
        account,
        undefined,
      ];
      assert.deepEqual(await of(revoked), refused('token_revoked', revoked.id, 'acme'));
      assert.deepEqual(await of(expired), refused('token_expired', expired.id, 'acme'));
      assert.deepEqual(await of(closed), refused('account_disabled', closed.id, 'closed'));
    });

    test('what is no token of this database is nobody’s, and nothing of it is logged', async () => {
      const nobody = [undefined, undefined, undefined];
      for (const [authorization, reason] of [
        ['', 'token_missing'],
        ['lc_short', 'token_malformed'],
        [WELL_FORMED, 'token_malformed'],
      ] as const)
        assert.deepEqual(await lineOf(LIST, { authorization }), [401, 'unauthenticated', reason, ...nobody]);
      const { token, id } = await made('acme');
      await service.operator.write({
        text: 'delete from tokens where id = $1',
        values: [id],
        separate: true,
      });
      const unknown = await lineOf(LIST, { authorization: token });
      assert.deepEqual(unknown, [401, 'unauthenticated', 'token_unknown', ...nobody]);
    });

    test('a limit of a token is named, and a fault of the request is a problem without a reason', async () => {
      const limited = await made('acme', {
        lists: ['additional_services'],
        charges: false,
        addresses: ['192.0.2.0/24'],
      });
      const open = await made('acme', { lists: ['additional_services'], charges: false });
      const of = async (url: string, { token, id }: typeof open, more: Record<string, string> = {}) => {
        const [status, problem, reason, token_id] = await lineOf(url, { authorization: token, ...more });
        assert.equal(token_id, id);
        return [status, problem, reason];
      };
      assert.deepEqual(await of(LIST, limited), [403, 'forbidden', 'address']);
      assert.deepEqual(await of(LIST, open), [403, 'forbidden', 'list']);
      const SERVICES = '/api/v1/services/additional';
      assert.deepEqual(await of(`${SERVICES}?monthly_min=5`, open), [403, 'forbidden', 'charges']);
      assert.deepEqual(await of(SERVICES, open, { 'linecard-account': 'closed' }), [
        403,
        'forbidden',
        'account_header',
      ]);
      assert.deepEqual(await of(`${SERVICES}?nothing=1`, open), [400, 'invalid-parameter', undefined]);
      assert.deepEqual(await of(SERVICES, open), [200, undefined, undefined]);
    });

    test('an access token whose signature holds is known by a digest and its client', async () => {
      const claims = (more: Claims): Claims => ({
        sub: 'erika',
        client_id: 'portal "x"',
        account: 'acme',
        aud: PUBLIC_URL,
        ...more,
      });
      const of = async (more: Claims, tamper = '') =>
        lineOf(LIST, { authorization: (await issuer.sign(claims(more))) + tamper });
      const [status, problem, reason, token_id, account_id, client] = await of({ aud: 'https://other' });
      assert.deepEqual([status, problem, reason], [401, 'unauthenticated', 'jwt_audience']);
      assert.match(String(token_id), /^[\w-]{16}$/);
      assert.deepEqual([account_id, client], [undefined, 'portal "x"']);
      assert.deepEqual(await of({ account: 'nobody' }), [
        403,
        'forbidden',
        'jwt_account',
        token_id,
        'nobody',
        'portal "x"',
      ]);
      const forged = await of({}, 'A');
      assert.deepEqual(forged.slice(2), ['jwt_signature', undefined, undefined, undefined]);
    });
  });
}
