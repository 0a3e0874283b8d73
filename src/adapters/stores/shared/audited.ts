import type { AuditEntry } from '../../../core/operator/audit.ts'
import type { AuditedChanges, AuditedName } from '../../../ports/store.ts'

const names: { readonly [N in AuditedName]: N } = {
  createApplication: 'createApplication',
  updateApplication: 'updateApplication',
  setText: 'setText',
  setActuator: 'setActuator',
  addSecret: 'addSecret',
  retireSecret: 'retireSecret',
  setUserDisabled: 'setUserDisabled',
  setUserRelay: 'setUserRelay',
  registerHardware: 'registerHardware',
  pair: 'pair',
  unpairHardware: 'unpairHardware',
  setDeviceToken: 'setDeviceToken',
  watchHardware: 'watchHardware',
  setTimer: 'setTimer',
  extendTimer: 'extendTimer',
  endTimer: 'endTimer',
  requestVerification: 'requestVerification',
  addContact: 'addContact',
  updateContact: 'updateContact',
  removeContact: 'removeContact',
  reorderContacts: 'reorderContacts',
}
const auditedNames = Object.values(names)

/** A write of the store that runs the change `name` and, unless it is refused, records `audit` with it. */
export type AuditedCall = (audit: AuditEntry, name: AuditedName, args: readonly unknown[]) => Promise<unknown>

/** `AuditStore.audited`, on a write that takes any of the changes. */
export const auditedBy =
  (change: AuditedCall) =>
  (audit: AuditEntry): AuditedChanges =>
    Object.fromEntries(
      auditedNames.map((name) => [name, (...args: unknown[]) => change(audit, name, args)]),
    ) as unknown as AuditedChanges

/** Whether a write has changed nothing. */
export const isRefused = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'refused' in result
