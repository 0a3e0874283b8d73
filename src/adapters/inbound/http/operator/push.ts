import { z } from 'zod'
import type { ownOperatorPush } from '../../../../app/push/own-operator-push.ts'
import { pushFailures } from '../../../../core/account/push-subscription.ts'
import { type Language, phrases } from '../../../../core/text/phrases.ts'
import { SECOND } from '../../../../lib/durations.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import { presenceRefusals } from './not-present.ts'

const PATH = '/v1/operator/push'
const moment = z.iso.datetime()
const languageField = z.enum(Object.keys(phrases) as [Language, ...Language[]])
const wholeText = z.boolean().meta({ description: 'The name of the person, too; otherwise that there is an alarm' })

const subscriptionSchema = z
  .object({
    language: languageField,
    wholeText,
    keptAt: moment,
    sentAt: moment.nullable().meta({ description: 'When its push service last accepted a message' }),
    failedAt: moment.nullable(),
    failure: z.enum(pushFailures).nullable().meta({ description: 'Why the last message did not leave; null: it did' }),
  })
  .meta({ id: 'OperatorPushSubscription', description: 'Web Push to the browser of this session' })
export const operatorPushSchema = z
  .object({
    publicKey: z
      .string()
      .nullable()
      .meta({ description: 'The `applicationServerKey` of this site, base64url; null: it sends none' }),
    subscription: subscriptionSchema.nullable().meta({ description: 'Null: this browser gets none' }),
  })
  .meta({ id: 'OperatorPush' })
const testedSchema = z.object({ outcome: z.enum(['sent', 'gone', 'refused', 'unreachable']) })

const key = z.string().min(1).max(100)
const subscribingFields = z
  .object({
    endpoint: z.string().min(1).max(2000).meta({ description: 'https, at a public address' }),
    keys: z.object({ p256dh: key, auth: key }),
    language: languageField,
    wholeText: wholeText.default(false),
  })
  .meta({
    id: 'OperatorPushSubscribing',
    description: 'A `PushSubscription` of the browser, and how to show what comes',
  })

const refusals = {
  ...presenceRefusals,
  push_limit: {
    kind: 'CONFLICT',
    message: 'Five of your browsers get alarms already. Switch one off there, or sign it out.',
  },
  push_not_found: { kind: 'NOT_FOUND', message: 'This browser gets no alarms by Web Push.' },
  push_unavailable: {
    kind: 'UNAVAILABLE',
    message: 'This site sends nothing by Web Push at the moment. Its log says why.',
    headers: { 'retry-after': '600' },
  },
} as const satisfies Refusals

const publicKey = 'BDd3_hVL9fZi9Ybo2UUzA284WG5FZR30_95YeZJsiApwXKpNcF1rRPF3foIiBHXRdJI2Qhumhf6_LFTeZaNndIo'
const subscribing = {
  endpoint: 'https://push.example.net/wpush/v2/gAAAAABm',
  keys: { p256dh: publicKey, auth: 'k8JV6sjdbhAi1n3_LDBLvA' },
  language: 'en',
  wholeText: false,
}
const subscribed = {
  publicKey,
  subscription: {
    ...{ language: 'en', wholeText: false, keptAt: '2026-07-04T10:02:11.000Z', sentAt: null },
    ...{ failedAt: null, failure: null },
  },
}

type Needs = OperatorAdmission & {
  /** Loaded when somebody first uses it. */
  readonly ownPush: () => Promise<ReturnType<typeof ownOperatorPush>>
}

/** Web Push to the browser of an operator's session (access.md#operator-push). */
export const operatorPushRoutes = (needs: Needs) =>
  family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.put(
        PATH,
        {
          config: { action: 'own' },
          schema: {
            operationId: 'subscribeOperatorPush',
            summary: 'Subscribes this browser to alarms by Web Push',
            description:
              'One subscription a session, at most five an operator. It ends with the session, and when its push service says that it has ended.',
            body: subscribingFields,
            response: { 200: operatorPushSchema, ...bodyErrors, ...errors(409) },
            examples: { body: subscribing, answers: { 200: subscribed } },
          },
        },
        async (request, reply) => {
          const done = await (await needs.ownPush()).subscribe(callerOf(request), request.body)
          if (!('refused' in done)) return done
          return done.refused === 'invalid' ? refuse(reply, done.fields) : refuse(reply, done.refused)
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        PATH,
        {
          config: { action: 'own' },
          schema: {
            operationId: 'getOperatorPush',
            summary: 'Whether this browser gets alarms by Web Push',
            description: 'The key with which a browser subscribes, and what this session has subscribed to.',
            response: { 200: operatorPushSchema },
            examples: { answers: { 200: subscribed } },
          },
        },
        async (request, reply) => {
          const read = await (await needs.ownPush()).read(callerOf(request))
          return 'refused' in read ? refuse(reply, read.refused) : read
        },
      )

      scope.delete(
        PATH,
        {
          config: { action: 'own' },
          schema: {
            operationId: 'unsubscribeOperatorPush',
            summary: 'Ends alarms by Web Push to this browser',
            description: 'Ends alarms by Web Push to this browser. Doing it twice succeeds.',
            response: { 204: z.null() },
          },
        },
        async (request, reply) => {
          const refused = await (await needs.ownPush()).unsubscribe(callerOf(request))
          return refused === null ? reply.code(204).send(null) : refuse(reply, refused.refused)
        },
      )

      scope.post(
        `${PATH}/test`,
        {
          config: { action: 'own' },
          schema: {
            operationId: 'testOperatorPush',
            summary: 'Sends a test by Web Push to this browser',
            description: 'Answers with what its push service said. 429 after some tests in ten minutes.',
            response: { 200: testedSchema, ...errors(404) },
            examples: { answers: { 200: { outcome: 'sent' } } },
          },
        },
        async (request, reply) => {
          const tested = await (await needs.ownPush()).test(callerOf(request))
          if (!('refused' in tested)) return tested
          if (!('retryAfterMs' in tested)) return refuse(reply, tested.refused)
          const seconds = String(Math.ceil(tested.retryAfterMs / SECOND))
          return refuse(reply, tested.refused, { headers: { 'retry-after': seconds } })
        },
      )
    },
  })
