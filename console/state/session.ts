import { computed, signal } from '@preact/signals'
import { ApiError, actAs, call, keepWallToken, signedInAgain, wallToken } from '../api/client.ts'
import type { Current, Me, Role } from '../api/types.ts'
import { now } from './clock.ts'

/** Undefined until the service has said whether anyone is signed in. */
export const me = signal<Me | null | undefined>(undefined)
actAs(() => me.peek()?.id ?? null)

const rank: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 }
const has = (role: Role) => computed(() => rank[me.value?.role ?? 'viewer'] >= rank[role])
export const mayAct = has('operator')
export const mayAdminister = has('admin')
/** The site itself, not some of its applications. */
export const maySetUp = computed(() => mayAdminister.value && me.value?.applications === null)

const SOON_MS = 14 * 86_400_000
/** Whether a moment comes within two weeks: time enough to make another token. */
export const endsSoon = (at: string): boolean => Date.parse(at) - now.value < SOON_MS

/** The end of this screen's token, if it is soon: otherwise the screen would go dark one night. */
export const tokenEndsAt = computed(() => {
  const { value } = me
  return wallToken.value !== null && value != null && endsSoon(value.expiresAt) ? value.expiresAt : null
})

const RETRY_MS = 3000

/** Null: no one. Requested this way, a page without a sign-in logs no error on the browser's console. */
async function current(): Promise<Me | null> {
  const found = await call<Current>('GET', '/session/current', undefined, { signsIn: true })
  return found.signedIn ? found : null
}

/** Finds out who is signed in; asks again while the service cannot be reached. */
export async function resumeSession(): Promise<void> {
  try {
    me.value = await current()
  } catch {
    setTimeout(resumeSession, RETRY_MS)
  }
}

export const signIn = (given: { login: string; password: string; code: string }): Promise<void> =>
  enter('/session', given)

/**
 * Signs in with the fields of a route. `as`: the operator whose session has ended. Their unsent entries are never sent
 * in the name of another operator, whose passkey the device may offer: the page begins anew.
 */
export async function enter(path: string, given: object, as = ''): Promise<void> {
  // Of a wall screen whose token has expired: it would still be sent instead of the session.
  keepWallToken(null)
  const signedIn = await call<Me>('POST', path, given, { signsIn: true })
  if (as !== '' && signedIn.login !== as) {
    location.hash = '#/'
    location.reload()
    return
  }
  me.value = signedIn
  signedInAgain()
}

/** A wall screen reads with a token, which does not end by idling. */
export async function useToken(token: string): Promise<void> {
  keepWallToken(token)
  try {
    const found = await current()
    if (found === null) throw new ApiError(401, { reason: 'signed_out' })
    me.value = found
    signedInAgain()
  } catch (error) {
    keepWallToken(null)
    throw error
  }
}

/**
 * Signs out. False: the service was not reached, so the session, its alarms and its Web Push go on, and no script can
 * remove its cookie.
 */
export async function signOut(): Promise<boolean> {
  const asked = wallToken.value === null ? call('DELETE', '/session', undefined, { signsIn: true }) : Promise.resolve()
  const isOut = await asked.then(
    () => true,
    (error) => error instanceof ApiError && error.status === 401,
  )
  if (!isOut) return false
  keepWallToken(null)
  location.hash = '#/'
  location.reload()
  return true
}
