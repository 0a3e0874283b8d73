import type { Listeners } from './listeners.ts'
import { defaultPublicUrl } from './public-url.ts'

/**
 * Where this service is reached. With port 0 nobody knows that before the listeners are open, and they open last; what
 * is built before them gets this, and asks it only when it sends a message or checks the broker.
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
