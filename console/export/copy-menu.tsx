// Copies the current view as a link or as a request.

import { Button, Menu } from '@mantine/core';
import { useShown } from '../address.tsx';
import { Icon } from '../icons.tsx';
import { copyText, useBriefly } from '../shell/copy-text.tsx';
import { texts } from '../texts.ts';
import { REQUESTS, requestAs } from './download.ts';

const words = texts.copyAs;
const SHOWN_MS = 2_000;
/** @param onCopied is given what to say of it */
export function CopyItems({ onCopied }: { readonly onCopied: (said: string) => void }) {
  const { list, view } = useShown();
  const copy = (text: string, said: string) => void copyText(text).then(() => onCopied(said));
  return (
    <>
      <Menu.Item
        leftSection={<Icon name="link" size={16} />}
        onClick={() => copy(location.href, words.linkDone)}
      >
        {words.link}
      </Menu.Item>
      <Menu.Divider />
      {REQUESTS.map((name) => (
        <Menu.Item
          key={name}
          leftSection={<Icon name="copy" size={16} />}
          onClick={() => copy(requestAs(name, list, view), words.done(words[name]))}
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
