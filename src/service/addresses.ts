import { isIPv4, isIPv6 } from 'node:net'
import { thisMachine } from '../adapters/platform/tls/names.ts'
import type { Config } from '../config.ts'
import type { Listeners } from './listeners.ts'

/**
 * The addresses of this service. With port 0 they are unknown until the listeners are open, which happens last; parts
 * built earlier get this object, and ask it only when they send a message or check the broker.
 */
export class Addresses {
  #configured: string | null
  #ofListeners = ''
  #listeners: Listeners = {}

  /** `configured`: `publicUrl` of the configuration, null if it follows from the listeners. */
  constructor(configured: string | null) {
    this.#configured = configured
  }

  configure(configured: string | null): void {
    this.#configured = configured
  }

  /** The listeners are open. Called once, before anything is sent. */
  settle(listeners: Listeners): void {
    this.#listeners = listeners
    this.#ofListeners = defaultPublicUrl(listeners)
  }

  /** Base of tracking links and of providers' callbacks. Empty until `settle`, and without an address. */
  publicUrl = (): string => this.#configured ?? this.#ofListeners

  /** Empty until `settle`. */
  listeners = (): Listeners => this.#listeners
}

const EVERY_ADDRESS = /^(https?:\/\/)(0\.0\.0\.0|\[::\])/
/** Every character of a link costs money in the first SMS. */
const USUAL_PORT = /^(https:.*):443$|^(http:.*):80$/

/** The machine's first IPv4 address that others can reach, else loopback. */
const ownAddress = (): string => thisMachine().addresses.find(isIPv4) ?? '127.0.0.1'

/**
 * The base of tracking links without `publicUrl`: the first bound address of https, http. A listener on every address
 * is reached at one of them. Empty if neither is on: never a reason not to send. rules.md#tracking-links.
 */
export function defaultPublicUrl({ https, http }: Listeners, address: () => string = ownAddress): string {
  return (https ?? http ?? '')
    .replace(EVERY_ADDRESS, (_all, scheme: string) => `${scheme}${address()}`)
    .replace(USUAL_PORT, '$1$2')
}

/** The http and https listeners by the configuration alone. A port that the system chooses is 0. */
export function listenersOf({ https, http }: Pick<Config, 'https' | 'http'>): Pick<Listeners, 'https' | 'http'> {
  const at = (scheme: 'https' | 'http', { host, port }: { readonly host: string; readonly port: number | 'off' }) =>
    port === 'off' ? {} : { [scheme]: `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}` }
  return { ...at('https', https), ...at('http', http) }
}

/** `defaultPublicUrl` for a command beside the service. */
export const publicUrlOf = (config: Pick<Config, 'publicUrl' | 'https' | 'http'>): string =>
  config.publicUrl ?? defaultPublicUrl(listenersOf(config))
