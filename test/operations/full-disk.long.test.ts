// Emergencies on a disk that is full: a token is revoked and an account disabled all the same, next to a
// service and without one.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ENVIRONMENT } from '../kit/environment.ts';
import { freePort } from '../kit/free-port.ts';
import { MAIN } from '../kit/program.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

/** A process may mount a small disk that nobody else sees. */
const MOUNTING = ['unshare', '--user', '--map-root-user', '--mount'] as const;
const [UNSHARE, ...OPTIONS] = MOUNTING;
const canMount =
  spawnSync(UNSHARE, [...OPTIONS, 'mount', '-t', 'tmpfs', 'tmpfs', temporaryFolder()]).status === 0;

/** What happens on the disk; it is gone when the script ends. */
const SCRIPT = `
set -e
mount -t tmpfs -o size=12m tmpfs "$DISK"
linecard() { "$NODE" "$MAIN" "$@"; }
linecard migrate
for account in one two; do
  linecard account create $account
  linecard token create --account $account 2> "$OUT/$account" > "$OUT/$account.token"
done
status() { curl -s -o "$OUT/body" -w '%{http_code}' -H "Authorization: Bearer $(cat "$OUT/$1.token")" "http://127.0.0.1:$PORT/api/v1/account"; }
if [ -n "$PORT" ]; then
  "$NODE" "$MAIN" serve --port "$PORT" > "$OUT/log" 2>&1 & SERVER=$!
  until curl -sf -o "$OUT/body" "http://127.0.0.1:$PORT/readyz"; do sleep 0.1; done
  echo "before $(status one) $(status two)"
fi
dd if=/dev/zero of="$DISK/filling" bs=4k 2> "$OUT/filled" || true
linecard account create three 2> "$OUT/refused" && exit 7
linecard token revoke "$(sed -n 's/.*token \\([^ ]*\\) of.*/\\1/p' "$OUT/one")"
linecard account disable two
if [ -n "$PORT" ]; then
  sleep 1
  echo "after $(status one) $(status two)"
  kill $SERVER; wait $SERVER
fi
linecard account list --json > "$OUT/accounts"
linecard token list --json > "$OUT/tokens"
`;

describe('on a full disk', { skip: !canMount && 'no process may mount a disk here' }, () => {
  for (const isServed of [true, false]) {
    test(`a token is revoked and an account disabled, ${isServed ? 'while a service runs' : 'alone'}`, async () => {
      const [disk, out] = [temporaryFolder(), temporaryFolder()];
      const script = join(out, 'script');
      writeFileSync(script, SCRIPT);
      const env = {
        ...ENVIRONMENT,
        NODE: process.execPath,
        MAIN,
        DISK: disk,
        OUT: out,
        PORT: isServed ? String(await freePort()) : '',
        LINECARD_DATABASE_URL: `sqlite:${join(disk, 'linecard.db')}`,
      };
      const { status, stdout, stderr } = spawnSync(UNSHARE, [...OPTIONS, 'bash', script], {
        env,
        encoding: 'utf8',
      });
      assert.equal(status, 0, stdout + stderr);
      assert.match(
        readFileSync(join(out, 'refused'), 'utf8'),
        /The disk (?:is full|does not take what is written)/,
      );
      if (isServed) {
        assert.match(stdout, /before 200 200/);
        assert.match(stdout, /after 401 401/);
      }
      const read = (name: string) =>
        JSON.parse(readFileSync(join(out, name), 'utf8')) as Record<string, unknown>[];
      assert.ok(read('accounts').find(({ id }) => id === 'two')?.['disabled_at']);
      assert.ok(read('tokens').find(({ account_id }) => account_id === 'one')?.['revoked_at']);
    });
  }
});
