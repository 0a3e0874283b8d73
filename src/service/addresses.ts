import type { Listeners } from './listeners.ts'
import { defaultPublicUrl } from './public-url.ts'

/**
 * The addresses of this service. With port 0 they are unknown until the listeners are open, which happens last; parts
 * built earlier get this object, and ask it only when they send a message or check the broker.
 */
export class Addresses {
  #publicUrl: string
  #listeners: Listeners = {}

  /** `configured`: `publicUrl` of the configuration, null if it follows from the listeners. */
  constructor(configured: string | null) {
    this.#publicUrl = configured ?? ''
  }

  /** The listeners are open. Called once, before anything is sent. */
  settle(listeners: Listeners): void {
    this.#listeners = listeners
    this.#publicUrl ||= defaultPublicUrl(listeners)
  }

  /** Where tracking links and the callbacks of providers lead. Empty until `settle`, and if there is nowhere. */
  publicUrl = (): string => this.#publicUrl

  /** Empty until `settle`. */
  listeners = (): Listeners => this.#listeners
}
