// The list of keys.

import { CloseButton, Modal } from '@mantine/core';
import { texts } from '../texts.ts';
import { Dialog } from './dialog.tsx';
import { PALETTE_KEY } from './keys.ts';

const words = texts.keys;

const KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['/'], words.search],
  [[PALETTE_KEY], words.palette],
  [['j', '↓'], words.next],
  [['k', '↑'], words.previous],
  [[words.names.enter], words.open],
  [['x'], words.select],
  [['→'], words.filter],
  [['→'], words.exclude],
  [[words.names.escape], words.close],
  [['?'], words.title],
];

export function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog size="26rem" onClose={onClose}>
      <Modal.Body className="keys-help">
        <div className="row apart side-head">
          <Modal.Title>{words.title}</Modal.Title>
          <CloseButton size="lg" aria-label={texts.close} onClick={onClose} data-autofocus />
        </div>
        <dl>
          {KEYS.map(([keys, does]) => (
            <div key={does} className="field">
              <dt className="row">
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
    </Dialog>
  );
}
