// The audit log as one array.

import { type AuditChoice, type AuditEntry, auditBatches } from '../../server/store/log/audit-reading.ts';
import type { Store } from '../../server/store/store.ts';

/** What was done, the oldest first. */
export async function readAudit(store: Store, choice: AuditChoice): Promise<AuditEntry[]> {
  const snapshot = await store.snapshot();
  try {
    return (await Array.fromAsync(auditBatches(snapshot, choice))).flat();
  } finally {
    await snapshot.close();
  }
}
