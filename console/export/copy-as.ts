// The current view as a request that others can send: curl, the customer's command, TypeScript. The token
// is never part of one: a variable stands for it.

import type { ListFacts, View } from '../contract.ts';
import { pageParams, writeQuery } from '../contract.ts';
import { BASE } from '../linecard.ts';

const TOKEN = 'LINECARD_TOKEN';

/** For a POSIX shell: nothing within single quotes means anything. */
const quoted = (text: string) => (/^[\w.:/@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

function asCurl(list: ListFacts, view: View): string {
  const url = `${BASE}${list.path}?${writeQuery(pageParams(view))}`;
  return `curl -H "Authorization: Bearer $${TOKEN}" ${quoted(url)}`;
}

/** A comma within a value is not one between two. */
const listed = (values: readonly unknown[]) =>
  values.map((value) => String(value).replaceAll(',', String.raw`\,`)).join(',');

function asCommand(list: ListFacts, view: View): string {
  const options = Object.entries(pageParams(view)).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? listed(value) : String(value);
    return ` --${name.replaceAll('_', '-')}=${quoted(text)}`;
  });
  return `LINECARD_URL=${quoted(BASE)} npx linecard ${list.word} list${options.join('')}`;
}

function asTypeScript(list: ListFacts, view: View): string {
  const params = Object.entries(pageParams(view)).map(
    ([name, value]) => `  ${name}: ${JSON.stringify(value)},\n`,
  );
  return [
    `import { env } from 'node:process';\nimport { Client } from '@linecard/client';\n\n`,
    `const client = new Client({ url: ${JSON.stringify(BASE)}, token: env.${TOKEN} ?? '' });\n`,
    `const page = await client.${list.member}.list({\n${params.join('')}});\n`,
    `console.log(page.data, page.total);\n`,
  ].join('');
}

export const forms = { curl: asCurl, cli: asCommand, typescript: asTypeScript } as const;
