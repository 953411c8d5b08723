// The receivers in docs/how-to/receive-webhooks.md, each in its language where that is installed: they accept
// what a deliverer signs, with either secret while one is replaced, and nothing else.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { signedHeaders } from '../../server/deliver/sending.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'how-to', 'receive-webhooks.md');
const BLOCK = /^```(?:js|python|php|go) (\S+)\n(.*?)^```$/gms;

/** What reads cases from a file and prints what `verify` returns for each, in each language. */
const HARNESSES: Readonly<Record<string, readonly [main: string, text: string, ...command: string[]]>> = {
  'verify.mjs': [
    'main.mjs',
    `import { verify } from './verify.mjs';
     import { readFileSync } from 'node:fs';
     for (const { secret, headers, body } of JSON.parse(readFileSync('cases.json', 'utf8')))
       console.log(verify(secret, headers, body));`,
    process.execPath,
    'main.mjs',
  ],
  'verify.py': [
    'main.py',
    `import json
from verify import verify
for case in json.load(open("cases.json")):
    print(str(verify(case["secret"], case["headers"], case["body"].encode())).lower())`,
    'python3',
    'main.py',
  ],
  'verify.php': [
    'main.php',
    `<?php require 'verify.php';
     foreach (json_decode(file_get_contents('cases.json'), true) as $case)
       echo json_encode(verify($case['secret'], $case['headers'], $case['body'])), "\n";`,
    'php',
    'main.php',
  ],
  'verify.go': [
    'verify_test.go',
    `package receiver
import ("encoding/json"; "fmt"; "net/http"; "os"; "testing")
func TestVerify(t *testing.T) {
	var cases []struct { Secret string; Headers map[string]string; Body string }
	text, _ := os.ReadFile("cases.json")
	json.Unmarshal(text, &cases)
	for _, c := range cases {
		headers := http.Header{}
		for name, value := range c.Headers { headers.Set(name, value) }
		fmt.Println(Verify(c.Secret, headers, []byte(c.Body)))
	}
}`,
    'go',
    'test',
    '-v',
    'verify.go',
    'verify_test.go',
  ],
};

const secrets = [1, 2].map(() => `whsec_${randomBytes(32).toString('base64')}`);
const now = Math.floor(Date.now() / 1_000);
const message = { id: 'msg_1', url: '', body: '{"type":"webhook.test","title":"Zürich"}', secrets };

/** Cases, and whether they are accepted. */
const CASES = [
  [{ secret: secrets[0], headers: signedHeaders(message, now), body: message.body }, true],
  [{ secret: secrets[1], headers: signedHeaders(message, now), body: message.body }, true],
  [{ secret: secrets[0], headers: signedHeaders(message, now), body: `${message.body} ` }, false],
  [{ secret: secrets[0], headers: signedHeaders(message, now - 3_600), body: message.body }, false],
  [
    {
      secret: `whsec_${randomBytes(32).toString('base64')}`,
      headers: signedHeaders(message, now),
      body: message.body,
    },
    false,
  ],
] as const;

describe('a receiver of the documents', () => {
  const blocks = [...readFileSync(PAGE, 'utf8').matchAll(BLOCK)];
  assert.deepEqual(
    blocks.map(([, file]) => file),
    Object.keys(HARNESSES),
  );
  for (const [, file = '', text = ''] of blocks) {
    const [main, harness, command = '', ...words] = HARNESSES[file] ?? assert.fail(file);
    const isThere = spawnSync(command, ['--version']).error === undefined;
    test(`accepts what is signed, and nothing else: ${file}`, {
      skip: isThere ? false : `${command} is not installed`,
    }, () => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, file), text);
      writeFileSync(join(folder, main), harness);
      writeFileSync(join(folder, 'cases.json'), JSON.stringify(CASES.map(([one]) => one)));
      const env = { ...process.env, GO111MODULE: 'off' };
      const { stdout, stderr } = spawnSync(command, words, { cwd: folder, env });
      const verified = [...String(stdout).matchAll(/^(?:true|false)$/gm)].map(String);
      assert.deepEqual(
        verified,
        CASES.map(([, isAccepted]) => String(isAccepted)),
        String(stderr),
      );
    });
  }
});
