// The list of keys.

import { CloseButton, Modal } from '@mantine/core';
import { texts } from '../texts.ts';
import { keysHelp, useEscape } from './keys.ts';
import { useFocusBack } from './side.tsx';

const words = texts.keys;
const IS_APPLE = /mac|iphone|ipad/i.test(navigator.userAgent);

const KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['/'], words.search],
  [[IS_APPLE ? '⌘ K' : 'Ctrl K'], words.palette],
  [['j', '↓'], words.next],
  [['k', '↑'], words.previous],
  [['Enter'], words.open],
  [['x'], words.select],
  [['Esc'], words.close],
  [['?'], words.title],
];

export function KeysHelp() {
  const onClose = () => keysHelp.set(false);
  useFocusBack();
  useEscape(onClose);
  return (
    <Modal.Root
      opened
      onClose={onClose}
      lockScroll={false}
      returnFocus={false}
      closeOnEscape={false}
      size="26rem"
      yOffset="12vh"
    >
      <Modal.Overlay backgroundOpacity={0.3} />
      <Modal.Content className="palette">
        <Modal.Body className="keys-help">
          <div className="side-head">
            <Modal.Title>{words.title}</Modal.Title>
            <CloseButton size="lg" aria-label={texts.close} onClick={onClose} data-autofocus />
          </div>
          <dl>
            {KEYS.map(([keys, does]) => (
              <div key={does} className="field">
                <dt>
                  {keys.map((key) => (
                    <kbd key={key} className="key">
                      {key}
                    </kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
