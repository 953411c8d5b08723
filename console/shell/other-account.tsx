// A token of another account, for this tab alone: the other tabs keep theirs.

import { BASE_PATH } from '../linecard.ts';
import { texts } from '../texts.ts';
import { Side } from './side.tsx';
import { TokenForm } from './sign-in.tsx';

export function OtherAccount({ onClose }: { readonly onClose: () => void }) {
  return (
    <Side
      title={texts.accounts.other}
      position="right"
      size="26rem"
      className="chooser"
      hasField
      onClose={onClose}
    >
      {/* The address may name an account or an item that is not the other one's. */}
      <TokenForm about={texts.accounts.otherAbout} source="tab" onDone={() => location.assign(BASE_PATH)} />
    </Side>
  );
}
