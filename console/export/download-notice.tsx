// The progress of a download, with a button to cancel it, and its outcome.

import { Button, Progress } from '@mantine/core';
import { shownCount } from '../format.ts';
import { Toast } from '../shell/later.tsx';
import { texts } from '../texts.ts';
import { EXPORT_BUTTON, useDownload } from './current.ts';
import { cancelDownload, forgetDownload } from './download.ts';

const words = texts.export;

export function DownloadNotice() {
  const { running, said } = useDownload();
  if (running !== undefined) return <Going {...running} />;
  return said === undefined ? null : <Done {...said} />;
}

function Done({ text, isBad = false }: { readonly text: string; readonly isBad?: boolean }) {
  // The focus goes back to where the download was started, before this button goes away.
  const onRead = () => {
    const next = [`.${EXPORT_BUTTON}`, '#list'].map((one) => document.querySelector<HTMLElement>(one));
    next.find((element) => element !== null)?.focus({ preventScroll: true });
    forgetDownload();
  };
  return (
    <Toast isBad={isBad} onClose={onRead}>
      <span role="status">{text}</span>
    </Toast>
  );
}

function Going({ file, done, total }: { file: string; done: number; total: number }) {
  const text = done === 0 ? words.starting : words.running(shownCount(done), shownCount(total));
  return (
    <div className="row toast">
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
