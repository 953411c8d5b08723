// The progress of a download, with a button to cancel it, and its outcome.

import { Button, Progress, UnstyledButton } from '@mantine/core';
import { shownCount } from '../format.ts';
import { Icon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { cancelDownload, EXPORT_BUTTON, forgetDownload, useDownload } from './download.ts';

const words = texts.export;

export function DownloadNotice() {
  const { running, said } = useDownload();
  if (running !== undefined) return <Going {...running} />;
  return said === undefined ? null : <Done {...said} />;
}

interface DoneProps {
  readonly text: string;
  readonly isBad?: boolean;
}

function Done({ text, isBad = false }: DoneProps) {
  // The focus goes back to where the download was started, before this button goes away.
  const onRead = () => {
    const next = [`.${EXPORT_BUTTON}`, '#list'].map((one) => document.querySelector<HTMLElement>(one));
    next.find((element) => element !== null)?.focus({ preventScroll: true });
    forgetDownload();
  };
  return (
    <div className="toast" role="status" data-bad={isBad || undefined}>
      <span>{text}</span>
      <UnstyledButton aria-label={texts.close} onClick={onRead}>
        <Icon name="close" size={16} />
      </UnstyledButton>
    </div>
  );
}

interface GoingProps {
  readonly file: string;
  readonly done: number;
  readonly total: number;
}

function Going({ file, done, total }: GoingProps) {
  const text = done === 0 ? words.starting : words.running(shownCount(done), shownCount(total));
  return (
    <div className="toast">
      <div className="toast-main">
        <span role="status">{texts.labelled(file, text)}</span>
        <Progress
          value={total === 0 ? 0 : (100 * done) / total}
          animated={done === 0}
          size="sm"
          aria-label={words.title}
        />
      </div>
      <Button variant="default" size="xs" onClick={cancelDownload}>
        {words.cancel}
      </Button>
    </div>
  );
}
