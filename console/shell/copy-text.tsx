// A value that a click copies exactly as it is stored.

import { UnstyledButton } from '@mantine/core';
import { useEffect, useState } from 'react';
import { withHyphen } from '../format.ts';
import { Icon } from '../icons.tsx';
import { texts } from '../texts.ts';

const SHOWN_MS = 1_500;

/** Works without TLS too, where a page has no clipboard. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text).catch(() => copyBySelection(text));
  } else copyBySelection(text);
}

function copyBySelection(text: string): void {
  const onCopy = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  document.addEventListener('copy', onCopy, { capture: true, once: true });
  // oxlint-disable-next-line typescript/no-deprecated -- there is no other way without TLS
  document.execCommand('copy');
  document.removeEventListener('copy', onCopy, { capture: true });
}

/** Copies the stored value of a complete shown value; else amounts have the minus that programs read. */
export function copyExactly(event: ClipboardEvent): void {
  const selection = document.getSelection();
  const within = (node: Node | null | undefined) =>
    (node instanceof Element ? node : node?.parentElement)?.closest<HTMLElement>('[data-exact]');
  const value = within(selection?.anchorNode);
  const selected = selection?.toString() ?? '';
  const isWhole =
    value !== undefined &&
    value !== null &&
    value === within(selection?.focusNode) &&
    selected.trim() === value.textContent.trim();
  const text = isWhole ? (value.dataset['exact'] ?? '') : withHyphen(selected);
  if (!isWhole && text === selected) return;
  event.clipboardData?.setData('text/plain', text);
  event.preventDefault();
}

/** A value that goes away by itself. */
export function useBriefly<T>(ms: number) {
  const [shown, show] = useState<T>();
  useEffect(() => {
    if (shown === undefined) return undefined;
    const timer = setTimeout(() => show(undefined), ms);
    return () => clearTimeout(timer);
  }, [shown, ms]);
  return [shown, show] as const;
}

interface CopyTextProps {
  readonly value: string;
  /** For screen readers. */
  readonly label: string;
  readonly children?: React.ReactNode;
}

export function CopyText({ value, label, children = value }: CopyTextProps) {
  const [isCopied = false, setCopied] = useBriefly<true>(SHOWN_MS);
  return (
    <UnstyledButton
      className="copy-text"
      title={texts.details.copyValue(label)}
      onClick={() => void copyText(value).then(() => setCopied(true))}
    >
      <span className="copy-value" dir="auto">
        {children}
      </span>
      <span className="copy-mark" data-done={isCopied || undefined}>
        <Icon name={isCopied ? 'check' : 'copy'} size={15} />
        <span className="hidden" aria-live="polite">
          {isCopied ? texts.copied : ''}
        </span>
      </span>
    </UnstyledButton>
  );
}
