import { mayDo } from '../../core/operator/role.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OperatorStore } from '../../ports/operator-store.ts'

/** Names that a person is shown. */
const MAX_NAMES = 20
/** A token has no end of its own: its screen or script reads on as long as it was used so recently. */
const TOKEN_MS = 15 * MINUTE

/** The staff of the rescue desk. `isStaffed`: somebody signed in now may take an alarm of this application. */
type Desk = { readonly names: readonly string[]; readonly isStaffed: boolean }
export type DeskOf = (appId: string) => Promise<Desk>

type DeskNeeds = {
  readonly store: Pick<OperatorStore, 'operatorsSignedIn' | 'apiTokens'>
  readonly clock: Pick<Clock, 'now'>
}

/** The operators who are signed in, and the API tokens in use, of all applications. Rejects only with a StoreError. */
export async function staffNow({ store, clock }: DeskNeeds) {
  const now = clock.now()
  const [operators, tokens] = await Promise.all([store.operatorsSignedIn(now, now), store.apiTokens()])
  const used = tokens.filter(
    ({ usedAt, expiresAt }) => usedAt !== null && Math.abs(now - usedAt) < TOKEN_MS && now < expiresAt,
  )
  return { operators, used }
}

/**
 * The operators who are signed in and may see the application's alarms, and the API tokens that do. Read anew each
 * time: an app that has been told of a change may ask a node that has not. Rejects only with a StoreError.
 */
export const deskOf =
  (needs: DeskNeeds): DeskOf =>
  async (appId) => {
    const { operators, used } = await staffNow(needs)
    const there = [...operators, ...used].filter((one) => mayDo(one, 'incident.view', appId))
    return {
      names: there.slice(0, MAX_NAMES).map(({ name }) => name),
      isStaffed: operators.some((one) => mayDo(one, 'incident.message', appId)),
    }
  }
