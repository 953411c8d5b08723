// The tutorial and the how-to pages: every shell block runs as it is shown, page by page, in an empty folder
// against real servers; what cannot run here is in one table.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { installCommand } from '../kit/client-programs.ts';
import { ENVIRONMENT } from '../kit/environment.ts';
import { freePort } from '../kit/free-port.ts';
import { Issuer } from '../kit/issuer.ts';
import { PostgresServer, query } from '../kit/postgres-server.ts';
import { heard, MAIN } from '../kit/program.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const BLOCK = /^```(\w+)(?: (\S+))?\n(.*?)^```$/gms;

/** How a block begins that does not run here, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npm ci': 'the commands are installed by this test',
  'createdb ': "PostgreSQL's own command, which not every machine has",
  'psql ': "PostgreSQL's own command; test/citus/ sets up a cluster",
  'pg_dump ': "PostgreSQL's own command",
  'pg_restore ': "PostgreSQL's own command",
  '#!/bin/sh': 'reads the database of a billing system with psql',
  'sftp ': 'needs a server of SFTP',
  'linecard-server mapping propose numbers.xlsx':
    'a document holds no workbook; test/import/workbooks.test.ts writes one',
  'sudo ': 'needs systemd; test/operations/deploy.long.test.ts has the unit checked',
  'cp linecard@.service': 'needs systemd',
  'systemctl ': 'needs systemd; test/drills/stopping.ts restarts a service with --drain',
  'podman ': 'builds an image',
  'claude ': 'a program of others; test/api/agents.test.ts has the official clients',
  'npm install': 'needs a registry; test/operations/traces.test.ts runs it',
  'linecard-server serve --database-url postgres://linecard_serving:secret@db1':
    'needs replicas; test/postgres/replicas.long.test.ts has them',
};

/** Numbers of an account, and a service that answers about them. */
const BILLED = `
    printf '%s\\n' account_id,id,did,status,subscription_status,frequency,created_at,monthly,next_payment_at \\
      C1001,48151,+442079460018,active,active,monthly,2026-01-10T09:00:00Z,2.25,2027-01-01T00:00:00Z \\
      C1001,48152,+442079460019,released,cancelled,monthly,2026-01-10T09:00:00Z,7.5,2027-01-01T00:00:00Z \\
      C1001,48153,+442079460020,active,active,monthly,2026-01-10T09:00:00Z,5, > numbers.csv
    linecard-server account create C1001
    linecard-server import virtual-numbers numbers.csv
    export LINECARD_URL=http://127.0.0.1:$LINECARD_PORT LINECARD_TOKEN=$(linecard-server token create --account C1001)
    linecard-server serve`;

/** What a page presumes: shell commands that come before its own. */
const BEFORE: Readonly<Record<string, string>> = {
  'back-up': 'linecard-server account create C1001',
  upgrade: 'linecard-server account create C1001',
  'run-as-a-service': 'linecard-server account create C1001',
  'run-on-postgresql': 'linecard-server account create C1001 --database-url sqlite:data/linecard.db',
  'see-what-has-happened': `
    printf '%s\\n' account_id,id,did,status,subscription_status,frequency,created_at \\
      C1001,48151,+442079460018,active,active,monthly,2026-01-10T09:00:00Z > numbers.csv
    printf '%s\\n' account_id,id,is_spammed C1001,48151,true > spam.csv
    linecard-server import virtual-numbers numbers.csv
    linecard-server import virtual-numbers --update spam.csv
    export LINECARD_URL=http://127.0.0.1:$LINECARD_PORT LINECARD_TOKEN=$(linecard-server token create --account C1001)
    linecard-server serve`,
  'ask-what-is-missing': BILLED,
  'add-a-field': BILLED,
  'run-behind-a-proxy':
    'openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 90 -keyout linecard.key -out linecard.pem 2>openssl.log',
};

/** The tables of an operator, for the queries of a pull. */
const CARRIER = `
  create table numbers (id bigint, customer_no text, e164 text, note text, state text,
    created_at timestamptz default now(), changed_at timestamptz default now(), deleted_at timestamptz);
  create table subscriptions (number_id bigint, state text, price numeric);
  insert into numbers (id, customer_no, e164, note, state) values (1, 'C1001', '+442079460018', 'Fax', 'active');
  insert into subscriptions values (1, 'active', 2.25);`;

/** A command that does not end by itself runs in the background, in place of the one before. */
const SHELL = `
set -euo pipefail
linecard-server() {
  case " $* " in
    *" serve "*|*" intake "*|*" deliver "*|*" --watch "*|*" --every "*) ;;
    *) command linecard-server "$@"; return ;;
  esac
  if [ -n "\${running:-}" ]; then kill "$running"; wait "$running" || true; fi
  : > server.log # what the one before said is no sign of this one
  command linecard-server "$@" >> server.log 2>&1 &
  running=$!
  until grep -qE 'answers at|takes imports at|are delivered|atching|rows? read' server.log; do
    kill -0 "$running" || { cat server.log; exit 1; }
    sleep 0.05
  done
}
trap '[ -z "\${running:-}" ] || kill "$running"' EXIT
`;

interface Block {
  readonly language: string;
  readonly file: string | undefined;
  readonly text: string;
}

const blocksOf = (path: string): Block[] =>
  [...readFileSync(join(ROOT, path), 'utf8').matchAll(BLOCK)].map(([, language = '', file, text = '']) => ({
    language,
    file,
    text,
  }));

// What keeping a copy takes is run by test/changes/docs.long.test.ts.
const pages = globSync(['docs/tutorial.md', 'docs/how-to/*.md'], { cwd: ROOT }).filter(
  (path) => basename(path) !== 'keep-a-copy.md',
);
const reasonOf = ({ text }: Block) => Object.keys(NOT_RUN).find((start) => text.startsWith(start));

/** A line of output that is shown: `…` stands for anything. */
const shownLine = (line: string) =>
  new RegExp(
    line
      .split('…')
      .map((part) => RegExp.escape(part))
      .join('.*'),
  );

describe('the guides', { concurrency: 3 }, () => {
  let postgres: PostgresServer;
  let issuer: Issuer;
  const roles = ['serving', 'intake', 'deliver'].map(
    (name) => `guides_${name}_${randomBytes(4).toString('hex')}`,
  );
  const databases: Awaited<ReturnType<PostgresServer['makeDatabase']>>[] = [];

  before(async () => {
    postgres = await PostgresServer.shared();
    issuer = await Issuer.open();
    for (let i = 0; i < 3; i++) databases.push(await postgres.makeDatabase());
    await query(databases[2]?.url ?? '', CARRIER);
  });
  after(async () => {
    issuer.close();
    for (const database of databases) await database.remove();
    for (const role of roles) await query(postgres.url, `drop role if exists ${role}`);
  });

  /** What stands in the documents for servers and files of one's own. */
  async function standIns(folder: string): Promise<readonly (readonly [string, string])[]> {
    const [port, intake, metrics, tls] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
    const [owner = '', copy = '', carrier = ''] = databases.map(({ url }) => url);
    return [
      ['https://id.example.com/realms/customers', issuer.url],
      ['127.0.0.1:8080', `127.0.0.1:${port}`],
      ['127.0.0.1:8081', `127.0.0.1:${intake}`],
      ['https://feed.example.com', `http://127.0.0.1:${intake}`],
      ['9464', `${metrics}`],
      ['--port 443', `--port ${tls}`],
      ['/etc/ssl/', `${folder}/`],
      ['postgres://owner:password@db.example/linecard', owner],
      ['postgres://owner:password@new.example/linecard', copy],
      ['postgres://reader:secret@billing.example.com/carrier', carrier],
      ['linecard_serving', roles[0] ?? ''],
      ['linecard_intake', roles[1] ?? ''],
      ['linecard_deliver', roles[2] ?? ''],
    ];
  }

  for (const path of pages) {
    test(path, async () => {
      const blocks = blocksOf(path);
      const folder = temporaryFolder();
      const bin = join(folder, 'bin');
      mkdirSync(bin);
      installCommand(bin);
      writeFileSync(join(bin, 'linecard-server'), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
      chmodSync(join(bin, 'linecard-server'), 0o755);
      for (const { file, text } of blocks) if (file !== undefined) writeFileSync(join(folder, file), text);
      const known = await standIns(folder);
      const own = blocks.filter((block) => block.language === 'sh' && reasonOf(block) === undefined);
      let script = own.map(({ text }) => text).join('\n');
      for (const [shown, real] of known) script = script.replaceAll(shown, real);
      const portOf = (shown: string) => known.find(([one]) => one === shown)?.[1].split(':')[1] ?? '';
      const env = {
        ...ENVIRONMENT,
        PATH: `${bin}:${ENVIRONMENT.PATH}`,
        HOME: folder,
        LINECARD_PORT: portOf('127.0.0.1:8080'),
        LINECARD_INTAKE_PORT: portOf('127.0.0.1:8081'),
      };
      const commands = [SHELL, BEFORE[basename(path, '.md')] ?? '', script].join('\n');
      const { status, out, err } = await heard(spawn('bash', ['-c', commands], { cwd: folder, env })).ended;
      assert.equal(status, 0, `${out}${err}`);
      for (const [i, { language, text }] of blocks.entries()) {
        if (language !== 'text' || blocks[i - 1]?.language !== 'sh') continue;
        for (const line of text.trimEnd().split('\n')) assert.match(`${out}${err}`, shownLine(line));
      }
    });
  }

  test('have no reason to leave out a block that they do not have', () => {
    const used = new Set(pages.flatMap(blocksOf).map(reasonOf));
    assert.deepEqual(
      Object.keys(NOT_RUN).filter((start) => !used.has(start)),
      [],
    );
  });
});
