import type { Actuators } from './actuator.ts'
import type { Settings } from './settings.ts'
import type { OwnTexts } from './text/own-texts.ts'

/** An integrating application, as the operator set it up. Secrets are apart (`ApplicationSecret`): nothing that shows this type can leak them. */
export type Application = {
  readonly id: string
  readonly name: string
  /** BCP 47; the default of contacts without a language of their own. */
  readonly language: string
  readonly legacy: boolean
  readonly disabled: boolean
  /** Only what the operator set; the rest comes from `notifications.defaults` and the built-in defaults. */
  readonly settings: Partial<Settings>
  readonly actuators: Actuators
  /** Texts set in place of the built-in ones. */
  readonly texts: OwnTexts
  /** Beginnings that contacts' numbers may have; empty: any. */
  readonly allowedPrefixes: readonly string[]
  readonly createdAt: number
}

/** One of at most two secrets that are valid at once. Decisions 1. */
export type ApplicationSecret = { readonly id: number; readonly secret: string }
