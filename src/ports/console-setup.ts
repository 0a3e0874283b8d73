import type { AttemptOutcome } from '../core/incident/command.ts'
import type { TextChannel } from '../core/incident/delivery.ts'
import type { FieldProblem } from '../core/ingest/fields.ts'
import type { SettingValue } from '../core/operator/site-setting.ts'

/** Values by the key of the configuration, as its file has them. Null: not set. */
export type SettingValues = Readonly<Record<string, unknown>>

/** A key that can be set in the console, as it is in force on this node. */
type ShownSetting = {
  readonly key: string
  /** The part of the setup, or the provider, that it belongs to. */
  readonly section: string
  /** Whether a change needs the password and a code, and every administrator hears of it. */
  readonly guarded: boolean
  readonly source: 'default' | 'console' | 'file' | 'environment'
  /** Null for a secret, and if there is no value. In a mapping, secrets are `[secret]`. */
  readonly value: unknown
  readonly secret: boolean
  readonly set: boolean
  /** Whether the console has a value that does not count, because of `source`. */
  readonly overridden: boolean
  /** Why the stored value does not count here, as a sentence. */
  readonly problem: string | null
}

type ShownProvider = {
  readonly provider: string
  /** From 1, in the order of sending. Null: not in use. */
  readonly place: number | null
  /** Why this node cannot use it. */
  readonly problem: string | null
}

/** The certificate that clients get who ask for one of its names. */
type ShownCertificate = {
  readonly source: 'local' | 'acme' | 'operator'
  readonly names: readonly string[]
  /** ISO 8601. */
  readonly validTo: string
  readonly concerns: readonly string[]
}

/** The settings of the site, as this node has them in force. */
export type ConsoleSetup = {
  /** Reads the stored settings and puts them in force. Rejects with a StoreError. */
  reread(): Promise<void>
  settings(): readonly ShownSetting[]
  providers(): readonly ShownProvider[]
  /** Null where no listener uses TLS. */
  certificate(): ShownCertificate | null
  /** The map files that this node has to choose from, by their names. */
  mapFiles(): Promise<readonly string[]>
  /** In the same way, its GeoJSON files. */
  overlayFiles(): Promise<readonly string[]>
  /** The keys that only the file or the environment sets, by the reason. */
  readonly onlyInFile: readonly { readonly why: string; readonly keys: readonly string[] }[]
  /** Why nothing can be changed at this node, looked at now; null if it can. Rejects with a StoreError. */
  whyNoChange(): Promise<string | null>
  /** Why this node can store no secret; null if it can. */
  keyTrouble(): string | null
  /** `given` with the secrets that it keeps, or its problems. `section`: a part of the setup, or a provider. */
  check(
    section: string,
    given: SettingValues,
  ): Promise<{ readonly values: SettingValues } | { readonly problems: readonly FieldProblem[] }>
  /** Problems that these stored values would have here, with all others as they are. */
  problemsWith(values: readonly SettingValue[]): Promise<readonly FieldProblem[]>
  /** The providers in the order of sending, with this one first. */
  inFront(provider: string): readonly string[]
  /** Without it. Null: it is the only one. */
  without(provider: string): readonly string[] | null
  /** The keys of a section. Empty: there is no such section. */
  keysOf(section: string): readonly string[]
  isGuarded(keys: readonly string[]): boolean
  /** The rows of values, secrets sealed. Rejects with a sentence where there is no key. */
  sealed(values: SettingValues): Promise<readonly SettingValue[]>
  /** The channels of a provider with these values, texts first. */
  channelsWith(provider: string, values: SettingValues): readonly TextChannel[]
  /** Sends one message through a provider that is not in use yet. Never rejects. */
  tryProvider(
    provider: string,
    values: SettingValues,
    message: {
      readonly attemptId: string
      readonly now: number
      readonly channel: TextChannel
      readonly to: string
      readonly text: string
      readonly language: string
    },
  ): Promise<AttemptOutcome>
  /** A text that only this site's nodes can read. */
  seal(name: string, text: string): Promise<string>
  /** Null: there is none of this name. */
  open(name: string, sealed: string): string | null
}
