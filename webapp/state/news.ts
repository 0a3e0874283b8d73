import { signal } from '@preact/signals'
import { ask } from './api.ts'
import { enrolment } from './enrolment.ts'
import { keep, kept } from './keep.ts'
import { language } from './language.ts'

/**
 * Web Push to this phone. `impossible`: this browser has none. `unavailable`: the site sends none, or did not say.
 * `lost`: the person wants it, and it could not be switched on again.
 */
export type News =
  | { readonly kind: 'impossible' | 'unavailable' | 'denied' | 'off' | 'lost' }
  | { readonly kind: 'on'; readonly wholeText: boolean; readonly failedAt: string | null }

/** The person's choice, and this browser's last subscription. */
type Wanted = { readonly wholeText: boolean; readonly endpoint: string; readonly language: string }
type Own = {
  readonly publicKey: string | null
  readonly subscription: { readonly wholeText: boolean; readonly failedAt: string | null } | null
}

const PUSH = '/v1/sdk/me/push'
const KEY = 'news'

/** Undefined: not looked at yet. */
export const news = signal<News | undefined>(undefined)

const isPossible = (): boolean =>
  navigator.serviceWorker !== undefined && 'PushManager' in globalThis && 'Notification' in globalThis

/** Null without a worker, which takes the messages. */
async function manager(): Promise<PushManager | null> {
  return (await navigator.serviceWorker.getRegistration('/app/'))?.pushManager ?? null
}

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0))

const sameBytes = (one: ArrayBuffer | null, other: Uint8Array): boolean =>
  one !== null && `${new Uint8Array(one)}` === `${other}`

/** The browser's own subscription, under the site's present key. */
async function subscribed(publicKey: string): Promise<PushSubscription | null> {
  const pushes = await manager()
  if (pushes === null) return null
  const key = bytesOf(publicKey)
  const before = await pushes.getSubscription()
  if (before !== null && sameBytes(before.options.applicationServerKey, key)) return before
  await before?.unsubscribe()
  return pushes.subscribe({ userVisibleOnly: true, applicationServerKey: key })
}

const onIn = (own: Own): News =>
  own.subscription === null
    ? { kind: 'off' }
    : { kind: 'on', wholeText: own.subscription.wholeText, failedAt: own.subscription.failedAt }

const answered = async (asked: ReturnType<typeof ask>): Promise<Own | null> => {
  const { status, body } = await asked
  return status === 200 ? (body as Own) : null
}

/** Subscribes this phone and tells the service. Null: one of them would not. */
async function subscribe(publicKey: string, wholeText: boolean): Promise<Own | null> {
  const subscription = await subscribed(publicKey).catch(() => null)
  if (subscription === null) return null
  const { endpoint, keys } = subscription.toJSON()
  const asked = { endpoint, keys, language: language.value, wholeText }
  const own = await answered(ask('PUT', PUSH, asked))
  if (own !== null) await keep(KEY, { wholeText, endpoint: subscription.endpoint, language: language.value })
  return own
}

/** The present state. Anything that ended without the person, such as a lost subscription, is renewed. */
export async function readNews(): Promise<void> {
  news.value = await looked().catch((): News => ({ kind: 'unavailable' }))
}

async function looked(): Promise<News> {
  if (!isPossible()) return { kind: 'impossible' }
  const [own, wanted] = await Promise.all([answered(ask('GET', PUSH)), kept<Wanted>(KEY)])
  if (own === null || own.publicKey === null) return { kind: 'unavailable' }
  if (Notification.permission === 'denied') return { kind: 'denied' }
  if (wanted === undefined || Notification.permission !== 'granted') return { kind: 'off' }
  const local = await (await manager())?.getSubscription()
  const isSame =
    own.subscription !== null &&
    local?.endpoint === wanted.endpoint &&
    language.value === wanted.language &&
    sameBytes(local.options.applicationServerKey, bytesOf(own.publicKey))
  if (isSame) return onIn(own)
  const renewed = await subscribe(own.publicKey, wanted.wholeText)
  return renewed === null ? { kind: 'lost' } : onIn(renewed)
}

/** On a tap of the person: browsers ask them, once. */
export async function switchNewsOn(wholeText: boolean): Promise<void> {
  const permission = await Notification.requestPermission()
  if (permission !== 'granted') {
    news.value = { kind: permission === 'denied' ? 'denied' : 'off' }
    return
  }
  const own = await answered(ask('GET', PUSH))
  const on = own?.publicKey == null ? null : await subscribe(own.publicKey, wholeText)
  news.value = on === null ? { kind: 'lost' } : onIn(on)
}

/** The service first: the browser does not show messages that still arrive. */
export async function switchNewsOff(): Promise<void> {
  const { status } = await ask('DELETE', PUSH)
  if (status !== 204) throw new Error(`${status}`)
  await forgetNews()
  news.value = { kind: 'off' }
}

/** This phone gets nothing more, whether or not the service can be asked. */
export async function forgetNews(): Promise<void> {
  await keep(KEY, undefined)
  news.value = undefined
  const local = isPossible() ? await (await manager())?.getSubscription() : null
  await local?.unsubscribe()
}

/** At the opening: only where the person wants it. */
export async function keepNews(): Promise<void> {
  if (enrolment.value != null && (await kept<Wanted>(KEY)) !== undefined) await readNews()
}
