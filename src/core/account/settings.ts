import type { z } from 'zod'
import { HOUR, MINUTE, SECOND } from '../../lib/durations.ts'
import type { settingsSchema } from './settings-schema.ts'

type Parsed = z.infer<typeof settingsSchema>
export type Settings = { readonly [K in keyof Parsed]: Parsed[K] extends number[] ? readonly number[] : Parsed[K] }

/** The settings of a site, for applications without their own. `email`: contacts get mails as well. */
export type PlanSettings = Settings & { readonly email?: true }

/** rules.md#settings. */
export const defaultSettings: Settings = {
  graceSeconds: 10,
  contactIntervalSeconds: 30,
  ackTimeoutSeconds: 60,
  voice: true,
  voiceAttempts: 2,
  voiceRetrySeconds: 60,
  rounds: 2,
  httpAttempts: 5,
  httpBackoffSeconds: [1, 5, 15, 60],
  httpTimeoutSeconds: 10,
  allClear: true,
  realarmSeconds: 300,
  autoResolveHours: 24,
  persistHours: 12,
  watchMinutes: 30,
  tellOthers: true,
}

/** Waits before an SMS is tried again after a retryable error. The last one repeats. rules.md#retries. */
export const SMS_RETRY_MS: readonly number[] = [1, 5, 15, 60].map((wait) => wait * SECOND)

/** Waits before an SMS with an unknown outcome is repeated. rules.md#unknown-outcomes. */
export const SMS_REPEAT_MS: readonly number[] = [5, 15].map((wait) => wait * SECOND)
/** The same for a mail. */
export const MAIL_REPEAT_MS: readonly number[] = [MINUTE]

/** The n-th wait of a list whose last entry repeats. `n` counts from 1. */
export const nthWait = (waits: readonly number[], n: number): number => waits[Math.min(n, waits.length) - 1] ?? 0

/** A setting in seconds, as whole milliseconds. */
export const msOf = (settingSeconds: number): number => Math.round(settingSeconds * SECOND)

/** `persistHours` as whole milliseconds. */
export const persistMs = (settings: Settings): number => Math.round(settings.persistHours * HOUR)

/** `watchMinutes` as whole milliseconds. */
export const watchMs = (settings: Settings): number => Math.round(settings.watchMinutes * MINUTE)

/** `autoResolveHours` as whole milliseconds. */
export const autoResolveMs = ({ autoResolveHours }: Pick<Settings, 'autoResolveHours'>): number =>
  Math.round(autoResolveHours * HOUR)
