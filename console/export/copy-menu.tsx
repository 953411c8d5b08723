// The menu that copies the current view, as a link or as a request.

import { Button, Menu } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useShown } from '../address.tsx';
import { Icon } from '../icons.tsx';
import { copyText } from '../shell/copy-text.tsx';
import { texts } from '../texts.ts';
import { forms } from './copy-as.ts';

const words = texts.copyAs;
const SHOWN_MS = 2_000;

export function CopyMenu() {
  const { list, view } = useShown();
  const [done, setDone] = useState<string>();
  useEffect(() => {
    if (done === undefined) return undefined;
    const timer = setTimeout(() => setDone(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = (text: string, said: string) => void copyText(text).then(() => setDone(said));
  const names = Object.keys(forms) as (keyof typeof forms)[];
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
      </Menu.Dropdown>
      <span className="hidden" role="status">
        {done}
      </span>
    </Menu>
  );
}
