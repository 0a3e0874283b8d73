import { z } from 'zod'
import { pushFailures } from '../../../../core/account/push-subscription.ts'
import { type Language, phrases } from '../../../../core/text/phrases.ts'

const language = z.enum(Object.keys(phrases) as [Language, ...Language[]])
const moment = z.iso.datetime()
const key = z.string().min(1).max(100)

/** Says of a subscription how much a message shows: `wholeText` is described by who offers it. */
export const shownField = (description: string) => z.boolean().meta({ description })

/** How a browser is subscribed, and how its last message went. */
export const subscriptionFields = (wholeText: z.ZodBoolean) => ({
  language,
  wholeText,
  keptAt: moment,
  sentAt: moment.nullable().meta({ description: 'When its push service last accepted a message' }),
  failedAt: moment.nullable(),
  failure: z.enum(pushFailures).nullable().meta({ description: 'Why the last message did not leave; null: it did' }),
})

/** What a browser reads of Web Push. `nothing`: says of null that there is no subscription. */
export const pushFields = <S extends z.ZodObject>(subscription: S, nothing: string) => ({
  publicKey: z
    .string()
    .nullable()
    .meta({ description: 'The `applicationServerKey` of this site, base64url; null: it sends none' }),
  subscription: subscription.nullable().meta({ description: nothing }),
})

/** A `PushSubscription` of the browser, and how to show messages. The values are checked where they are used. */
export const subscribingFields = (wholeText: z.ZodBoolean) => ({
  endpoint: z.string().min(1).max(2000).meta({ description: 'https, at a public address' }),
  keys: z.object({ p256dh: key, auth: key }),
  language,
  wholeText: wholeText.default(false),
})
export const SUBSCRIBING = 'A `PushSubscription` of the browser, and how to show what comes'

/** The refusal while the site has no keys to sign messages with. */
export const pushUnavailable = (message: string) =>
  ({ kind: 'UNAVAILABLE', message, headers: { 'retry-after': '600' } }) as const

const publicKey = 'BDd3_hVL9fZi9Ybo2UUzA284WG5FZR30_95YeZJsiApwXKpNcF1rRPF3foIiBHXRdJI2Qhumhf6_LFTeZaNndIo'
export const subscribing = {
  endpoint: 'https://push.example.net/wpush/v2/gAAAAABm',
  keys: { p256dh: publicKey, auth: 'k8JV6sjdbhAi1n3_LDBLvA' },
  language: 'en',
  wholeText: false,
}
export const subscribed = {
  publicKey,
  subscription: {
    ...{ language: 'en', wholeText: false, keptAt: '2026-07-04T10:02:11.000Z', sentAt: null },
    ...{ failedAt: null, failure: null },
  },
}
