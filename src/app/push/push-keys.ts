import { SECOND } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { PushKeys } from '../../ports/push-sender.ts'
import type { Secrets } from '../../ports/secrets.ts'
import type { PushStore } from '../../ports/store.ts'

const SEAL = 'push_keys/vapid'
/** How soon a key that could not be opened is tried again. */
const AGAIN_MS = 30 * SECOND

type Needs = {
  readonly store: Pick<PushStore, 'pushKey' | 'keepPushKey'>
  readonly secrets: Pick<Secrets, 'keyTrouble' | 'seal' | 'open'>
  readonly newKeys: () => PushKeys
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

/**
 * The site's key pair for Web Push, sealed in the store like other secrets, and made when it is first needed. Resolves
 * with null where this node can neither open nor make one. Rejects with a StoreError.
 */
export function pushKeys({ store, secrets, newKeys, clock, log }: Needs): () => Promise<PushKeys | null> {
  let known: PushKeys | null = null
  let failedAt = Number.NEGATIVE_INFINITY

  const read = async (): Promise<PushKeys | null> => {
    const trouble = secrets.keyTrouble()
    if (trouble !== null) return failed(trouble)
    const stored = await store.pushKey()
    const sealed = stored ?? (await store.keepPushKey(await secrets.seal(SEAL, JSON.stringify(newKeys())), clock.now()))
    const opened = secrets.open(SEAL, sealed)
    return 'refused' in opened ? failed(opened.why) : (JSON.parse(opened.value.toString('utf8')) as PushKeys)
  }
  const failed = (why: string): null => {
    log.error({ why }, 'phones get no news by Web Push: the key pair of this site can be neither opened nor made')
    return null
  }

  return async () => {
    if (known !== null || Math.abs(clock.now() - failedAt) < AGAIN_MS) return known
    known = await read()
    if (known === null) failedAt = clock.now()
    return known
  }
}
