import { getsNoCall, type IsOfCountry, UNCONFIRMED_ABROAD } from '../../core/account/calls-abroad.ts'
import type { AttemptOutcome } from '../../core/incident/command.ts'
import type { TextNotification } from '../../ports/notifier.ts'
import type { ContactStore } from '../../ports/store.ts'

type Needs = { readonly store: Pick<ContactStore, 'contacts'>; readonly isOfCountry: IsOfCountry }

const NOT_CALLED: AttemptOutcome = { kind: 'failed', error: UNCONFIRMED_ABROAD, retryable: false }

/**
 * The outcome of a call that must not be made: to a contact abroad who has not confirmed by now. Null: it may leave,
 * also if that is unknown. rules.md#calls-abroad.
 */
export async function refusedCall(
  { to: phone, unconfirmedOnlyIn: bound }: TextNotification,
  { store, isOfCountry }: Needs,
): Promise<AttemptOutcome | null> {
  if (bound === undefined || !getsNoCall({ phone, verifiedAt: null }, bound.country, isOfCountry)) return null
  const contacts = await store.contacts(bound.userId).catch(() => null)
  const isConfirmed = contacts?.some((contact) => contact.phone === phone && contact.verifiedAt !== null) ?? true
  return isConfirmed ? null : NOT_CALLED
}
