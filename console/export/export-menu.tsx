// The menu that saves every match, with how far it is and a way to stop it.

import { Button, Menu, Progress, UnstyledButton } from '@mantine/core';
import { useRef, useState } from 'react';
import { useShown } from '../address.tsx';
import { shownCount } from '../format.ts';
import { Icon } from '../icons.tsx';
import { troubleOf } from '../linecard.ts';
import { currentSession } from '../session.ts';
import { onceSentenceOf } from '../shell/sentences.ts';
import { texts } from '../texts.ts';
import { BrokenOff, formats, saveAll } from './download.ts';

const words = texts.export;
type FormatName = keyof typeof formats;

interface Running {
  readonly done: number;
  readonly total: number;
}

interface Said {
  readonly text: string;
  readonly isBad?: boolean;
}

function outcomeOf(error: unknown): string {
  if (error instanceof BrokenOff) return words.brokenOff;
  return ['network', 'broken-off'].includes(troubleOf(error).code) ? words.brokenOff : onceSentenceOf(error);
}

/** One download at a time: how far it is, and what came of the last one. */
function useDownload(expected: number | undefined) {
  const { list, view } = useShown();
  const [running, setRunning] = useState<Running>();
  const [said, setSaid] = useState<Said>();
  const stop = useRef<AbortController>(undefined);
  const run = async (name: FormatName) => {
    const token = currentSession().token;
    if (token === undefined) return;
    const controller = new AbortController();
    stop.current = controller;
    setSaid(undefined);
    setRunning({ done: 0, total: expected ?? 0 });
    try {
      const request = { token, list, view, format: formats[name], signal: controller.signal };
      const file = await saveAll(request, (done, total) => setRunning({ done, total }));
      setSaid({ text: words.done(file) });
    } catch (error) {
      setSaid(
        controller.signal.aborted ? { text: words.cancelled } : { text: outcomeOf(error), isBad: true },
      );
    } finally {
      setRunning(undefined);
    }
  };
  return { running, said, run, onStop: () => stop.current?.abort(), onRead: () => setSaid(undefined) };
}

export function ExportMenu({ total }: { readonly total: number | undefined }) {
  const { running, said, run, onStop, onRead } = useDownload(total);
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <Button
            leftSection={<Icon name="download" size={16} />}
            disabled={running !== undefined || total === 0}
          >
            {words.label}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {total !== undefined && <Menu.Label>{words.all(shownCount(total))}</Menu.Label>}
          {(Object.keys(formats) as FormatName[]).map((name) => (
            <Menu.Item key={name} onClick={() => void run(name)}>
              {words[name]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {running !== undefined && <Going {...running} onStop={onStop} />}
      {running === undefined && said !== undefined && <Done {...said} onRead={onRead} />}
    </>
  );
}

function Done({ text, isBad = false, onRead }: Said & { readonly onRead: () => void }) {
  return (
    <div className="toast" role="status" data-bad={isBad || undefined}>
      <span>{text}</span>
      <UnstyledButton aria-label={texts.close} onClick={onRead}>
        <Icon name="close" size={16} />
      </UnstyledButton>
    </div>
  );
}

function Going({ done, total, onStop }: Running & { readonly onStop: () => void }) {
  const text = done === 0 ? words.starting : words.running(shownCount(done), shownCount(total));
  return (
    <div className="toast">
      <div className="toast-main">
        <span role="status">{text}</span>
        <Progress
          value={total === 0 ? 0 : (100 * done) / total}
          animated={done === 0}
          size="sm"
          aria-label={words.title}
        />
      </div>
      <Button variant="default" size="xs" onClick={onStop}>
        {words.cancel}
      </Button>
    </div>
  );
}
