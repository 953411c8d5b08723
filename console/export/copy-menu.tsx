// Copies the current view as a link or as a request: curl, the `linecard` command, TypeScript. The request
// reads the token from a variable.

import { Button, Menu } from '@mantine/core';
import { useShown } from '../address.tsx';
import { type ListFacts, pageParams, type View, writeQuery } from '../contract.ts';
import { Icon } from '../icons.tsx';
import { BASE } from '../linecard.ts';
import { ACCOUNT } from '../page.ts';
import { copyText, useBriefly } from '../shell/copy-text.tsx';
import { texts } from '../texts.ts';

const words = texts.copyAs;
const SHOWN_MS = 2_000;
const TOKEN = 'LINECARD_TOKEN';

/** For a POSIX shell. */
const quoted = (text: string) => (/^[\w.:/@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

function asCurl(list: ListFacts, view: View): string {
  const url = `${BASE}${list.path}?${writeQuery(pageParams(view))}`;
  const account =
    ACCOUNT === undefined ? '' : ` -H ${quoted(`Linecard-Account: ${encodeURIComponent(ACCOUNT)}`)}`;
  return `curl -H "Authorization: Bearer $${TOKEN}"${account} ${quoted(url)}`;
}

/** `\,` is a comma within a value. */
const listed = (values: readonly unknown[]) =>
  values.map((value) => String(value).replaceAll(',', String.raw`\,`)).join(',');

function asCommand(list: ListFacts, view: View): string {
  const options = Object.entries(pageParams(view)).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? listed(value) : String(value);
    return ` --${name.replaceAll('_', '-')}=${quoted(text)}`;
  });
  const account = ACCOUNT === undefined ? '' : ` --account=${quoted(ACCOUNT)}`;
  return `LINECARD_URL=${quoted(BASE)} npx linecard ${list.word} list${account}${options.join('')}`;
}

function asTypeScript(list: ListFacts, view: View): string {
  const params = Object.entries(pageParams(view)).map(
    ([name, value]) => `  ${name}: ${JSON.stringify(value)},\n`,
  );
  const account = ACCOUNT === undefined ? '' : `.account(${JSON.stringify(ACCOUNT)})`;
  return [
    `import { env } from 'node:process';\nimport { Client } from '@linecard/client';\n\n`,
    `const client = new Client({ url: ${JSON.stringify(BASE)}, token: env.${TOKEN} ?? '' });\n`,
    `const page = await client${account}.${list.member}.list({\n${params.join('')}});\n`,
    `console.log(page.data, page.total);\n`,
  ].join('');
}

const forms = { curl: asCurl, cli: asCommand, typescript: asTypeScript } as const;

/** @param onCopied is given what to say of it */
export function CopyItems({ onCopied }: { readonly onCopied: (said: string) => void }) {
  const { list, view } = useShown();
  const copy = (text: string, said: string) => void copyText(text).then(() => onCopied(said));
  const names = Object.keys(forms) as (keyof typeof forms)[];
  return (
    <>
      <Menu.Item
        leftSection={<Icon name="link" size={16} />}
        onClick={() => copy(location.href, words.linkDone)}
      >
        {words.link}
      </Menu.Item>
      <Menu.Divider />
      {names.map((name) => (
        <Menu.Item
          key={name}
          leftSection={<Icon name="copy" size={16} />}
          onClick={() => copy(forms[name](list, view), words.done(words[name]))}
        >
          {words[name]}
        </Menu.Item>
      ))}
    </>
  );
}

export function CopyMenu() {
  const [done, setDone] = useBriefly<string>(SHOWN_MS);
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<Icon name={done === undefined ? 'code' : 'check'} size={16} />}
        >
          {words.label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <CopyItems onCopied={setDone} />
      </Menu.Dropdown>
      <span className="hidden" role="status">
        {done}
      </span>
    </Menu>
  );
}
