// Checks a file, or what is pasted, against the numbers of the account: what only one of them has, and what
// differs. The file stays in the browser.

import '../styles/check.css';
import { Button, NativeSelect, Textarea } from '@mantine/core';
import { type ClipboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useShown } from '../address.tsx';
import { Side } from '../shell/side.tsx';
import { texts } from '../texts.ts';
import { isFiltered } from '../view.ts';
import { type Checking, type Source, useChecking } from './checking.ts';
import { Groups } from './groups.tsx';
import type { Columns } from './worker.ts';

const words = texts.check;
const ROWS = 4;

export function CheckFile({ onClose }: { readonly onClose: () => void }) {
  const { list, view } = useShown();
  const { checking, take, choose, check } = useChecking(view);
  const { source, isRunning, found, failure } = checking;
  // Charges are compared where the token sees them.
  const hasCharges = list.sums.length > 0;
  return (
    <Side title={words.label} position="right" size="42rem" className="check" onClose={onClose}>
      <p>{words.about}</p>
      {isFiltered(view) && <p className="dim">{words.filtered}</p>}
      <FileInput source={source} onSource={take} />
      {source !== undefined && (
        <>
          <ColumnChoices {...{ checking, hasCharges }} onChoose={choose} />
          <Button onClick={check} data-disabled={isRunning} aria-disabled={isRunning}>
            {words.go}
          </Button>
        </>
      )}
      <div role="status">
        {isRunning && <p className="dim">{words.running}</p>}
        {failure !== undefined && <p className="failure">{failure}</p>}
        {found !== undefined && (
          <Groups found={found} file={source?.name ?? words.pasted} isFiltered={isFiltered(view)} />
        )}
      </div>
    </Side>
  );
}

/** The file that was dropped or pasted, if any. */
const fileIn = (data: DataTransfer | null): File | undefined => data?.files[0];

interface FileInputProps {
  readonly source: Source | undefined;
  readonly onSource: (source: Source) => void;
}

function FileInput({ source, onSource }: FileInputProps) {
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const onFile = (file: File | undefined) => {
    if (file === undefined) return;
    setText('');
    onSource({ name: file.name, blob: file });
  };
  useDropped(onFile);
  const onPaste = (event: ClipboardEvent) => {
    const file = fileIn(event.clipboardData);
    if (file === undefined) return;
    event.preventDefault();
    onFile(file);
  };
  return (
    <div className="check-source">
      <div className="row check-drop">
        <Button variant="default" onClick={() => input.current?.click()}>
          {words.choose}
        </Button>
        <span className="dim">{words.drop}</span>
        <input ref={input} type="file" hidden onChange={(event) => onFile(event.currentTarget.files?.[0])} />
        {source?.name !== undefined && <strong dir="auto">{source.name}</strong>}
      </div>
      <Textarea
        label={words.paste}
        rows={ROWS}
        spellCheck={false}
        value={text}
        onPaste={onPaste}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          onSource({ blob: new Blob([value]) });
        }}
      />
    </div>
  );
}

/** A file that is dropped anywhere: the browser would leave the page for it. */
function useDropped(onFile: (file: File | undefined) => void): void {
  const take = useEffectEvent(onFile);
  useEffect(() => {
    const onOver = (event: DragEvent) => event.preventDefault();
    const onDrop = (event: DragEvent) => {
      event.preventDefault();
      take(fileIn(event.dataTransfer));
    };
    window.addEventListener('dragover', onOver);
    window.addEventListener('drop', onDrop);
    return () => {
      window.removeEventListener('dragover', onOver);
      window.removeEventListener('drop', onDrop);
    };
  }, []);
}

interface ColumnChoicesProps {
  readonly checking: Checking;
  readonly hasCharges: boolean;
  readonly onChoose: (columns: Columns) => void;
}

function ColumnChoices({ checking: { names, columns }, hasCharges, onChoose }: ColumnChoicesProps) {
  if (names.length < 2) return null;
  const choices = (none: string) => [
    { value: '', label: none },
    ...names.map((name) => ({ value: name, label: name })),
  ];
  return (
    <div className="check-columns">
      <NativeSelect
        label={words.numberColumn}
        data={choices(words.byContent)}
        value={columns.number ?? ''}
        onChange={(event) => onChoose({ ...columns, number: event.currentTarget.value || undefined })}
      />
      {hasCharges && (
        <NativeSelect
          label={words.amountColumn}
          data={choices(words.noColumn)}
          value={columns.amount ?? ''}
          onChange={(event) => onChoose({ ...columns, amount: event.currentTarget.value || undefined })}
        />
      )}
      {columns.amount !== undefined && (
        <NativeSelect
          label={words.per.label}
          data={[
            { value: 'payment', label: words.per.payment },
            { value: 'month', label: words.per.month },
          ]}
          value={columns.per}
          onChange={(event) =>
            onChoose({ ...columns, per: event.currentTarget.value === 'month' ? 'month' : 'payment' })
          }
        />
      )}
    </div>
  );
}
