import type { call } from '../api/client.ts'
import type { OperatorPush } from '../api/types.ts'
import { bytesOf } from '../logic/base64url.ts'
import type { Language } from '../state/language.ts'

// The browser's side of Web Push to operators. Loaded where somebody has switched it on, or looks at it
// (`push-on-demand.ts`): shared parts are handed in, so that the board does not split into more files.

/** `impossible`: this browser has none. `unavailable`: the site sends none. `lost`: it could not be switched on. */
export type Pushing =
  | { readonly kind: 'impossible' | 'unavailable' | 'denied' | 'off' | 'lost' }
  | { readonly kind: 'on'; readonly wholeText: boolean; readonly failure: string | null }

type Needs = { readonly call: typeof call; readonly language: () => Language }

const PATH = '/push'
const SCOPE = '/console/'

const isPossible = (): boolean =>
  navigator.serviceWorker !== undefined && 'PushManager' in globalThis && 'Notification' in globalThis

const sameBytes = (one: ArrayBuffer | null, other: Uint8Array): boolean =>
  one !== null && `${new Uint8Array(one)}` === `${other}`

const stateOf = ({ publicKey, subscription }: OperatorPush): Pushing => {
  if (publicKey === null) return { kind: 'unavailable' }
  return subscription === null
    ? { kind: 'off' }
    : { kind: 'on', wholeText: subscription.wholeText, failure: subscription.failure }
}

/** The browser's subscription, under the site's present key. */
async function subscribed(publicKey: string): Promise<PushSubscription> {
  const { pushManager } = await navigator.serviceWorker
    .register('/console/sw.js', { scope: SCOPE, updateViaCache: 'none' })
    .then(activated)
  const key = bytesOf(publicKey)
  const before = await pushManager.getSubscription()
  if (before !== null && sameBytes(before.options.applicationServerKey, key)) return before
  await before?.unsubscribe()
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
}

/** Browsers subscribe only with a worker that runs. */
async function activated(registration: ServiceWorkerRegistration): Promise<ServiceWorkerRegistration> {
  const worker = registration.active === null ? (registration.installing ?? registration.waiting) : null
  if (worker === null) return registration
  await new Promise<void>((resolve) => {
    worker.addEventListener('statechange', () => worker.state === 'activated' && resolve())
    if (worker.state === 'activated') resolve()
  })
  return registration
}

export function pushesOf({ call, language }: Needs) {
  const read = (): Promise<OperatorPush> => call<OperatorPush>('GET', PATH)

  async function subscribe(publicKey: string, wholeText: boolean): Promise<Pushing> {
    const subscription = await subscribed(publicKey).catch(() => null)
    if (subscription === null) return { kind: 'lost' }
    const { endpoint, keys } = subscription.toJSON()
    return stateOf(await call<OperatorPush>('PUT', PATH, { endpoint, keys, language: language(), wholeText }))
  }

  return {
    async look(): Promise<Pushing> {
      if (!isPossible()) return { kind: 'impossible' }
      if (Notification.permission === 'denied') return { kind: 'denied' }
      const own = stateOf(await read())
      return own.kind === 'on' && Notification.permission !== 'granted' ? { kind: 'off' } : own
    },

    /** On a click of the operator: browsers ask them, once. */
    async switchOn(wholeText: boolean): Promise<Pushing> {
      const permission = await Notification.requestPermission()
      if (permission !== 'granted') return { kind: permission === 'denied' ? 'denied' : 'off' }
      const { publicKey } = await read()
      return publicKey === null ? { kind: 'unavailable' } : subscribe(publicKey, wholeText)
    },

    /** The service first: the browser does not show messages that still arrive. */
    async switchOff(): Promise<Pushing> {
      await call('DELETE', PATH)
      const registration = await navigator.serviceWorker.getRegistration(SCOPE)
      await (await registration?.pushManager.getSubscription())?.unsubscribe()
      await registration?.unregister()
      return { kind: 'off' }
    },

    test: async (): Promise<string> => (await call<{ readonly outcome: string }>('POST', `${PATH}/test`)).outcome,

    /** After another sign-in in this browser: the subscription has ended with the session before. */
    async renew(wholeText: boolean): Promise<void> {
      if (!isPossible() || Notification.permission !== 'granted') return
      const { publicKey, subscription } = await read()
      if (publicKey !== null && subscription === null) await subscribe(publicKey, wholeText)
    },
  }
}
