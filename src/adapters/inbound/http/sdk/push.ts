import { z } from 'zod'
import type { ownPush } from '../../../../app/push/own-push.ts'
import { sessionOf } from '../admission/session.ts'
import type { UserAdmission } from '../admission/users.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'
import {
  pushFields,
  pushUnavailable,
  SUBSCRIBING,
  shownField,
  subscribed,
  subscribing,
  subscribingFields,
  subscriptionFields,
} from '../schemas/push.ts'

const PATH = '/v1/sdk/me/push'
const wholeText = shownField('The whole text on the screen; otherwise only that there are news')

const subscriptionSchema = z
  .object({ ...subscriptionFields(wholeText), keptAt: z.iso.datetime().nullable() })
  .meta({ id: 'PushSubscription', description: 'Web Push to this device' })
const pushSchema = z.object(pushFields(subscriptionSchema, 'Null: this device gets none')).meta({ id: 'OwnPush' })

const subscribingSchema = z
  .object(subscribingFields(wholeText))
  .meta({ id: 'PushSubscribing', description: SUBSCRIBING })

const nothing = z.null().meta({ description: 'Removed' })

const refusals = {
  not_enrolled: { kind: 'CONFLICT', message: 'Only a device with the app in the box can do this.' },
  app_device_not_found: { kind: 'NOT_FOUND', message: 'This device has been removed.' },
  push_unavailable: pushUnavailable(
    'This site sends no news by Web Push at the moment. Its operator finds the reason in the log.',
  ),
} as const satisfies Refusals

type Needs = UserAdmission & {
  /** Loaded when somebody first uses it. */
  readonly ownPush: () => Promise<ReturnType<typeof ownPush>>
}

/** Web Push to the device that asks (app.md#news). */
export const pushRoutes = (needs: Needs) =>
  family('PROFILE', needs, {
    refusals,

    json(scope, refuse) {
      scope.get(
        PATH,
        {
          schema: {
            operationId: 'getOwnPush',
            summary: 'Whether this device gets news by Web Push',
            description:
              'The key with which a browser subscribes, and what this device has subscribed to. Only for a device with the app in the box.',
            response: { 200: pushSchema, ...errors(409) },
            examples: { answers: { 200: subscribed } },
          },
        },
        async (request, reply) => {
          const read = await (await needs.ownPush()).read(sessionOf(request))
          return 'refused' in read ? refuse(reply, read.refused) : read
        },
      )

      scope.put(
        PATH,
        {
          schema: {
            operationId: 'subscribeOwnPush',
            summary: 'Subscribes this device to news by Web Push',
            description:
              'One subscription a device: a further one replaces it. It ends with the device, and when its push service says that it has ended. No message holds a position.',
            body: subscribingSchema,
            response: { 200: pushSchema, ...bodyErrors, ...errors(404, 409) },
            examples: { body: subscribing, answers: { 200: subscribed } },
          },
        },
        async (request, reply) => {
          const done = await (await needs.ownPush()).subscribe(sessionOf(request), request.body)
          if (!('refused' in done)) return done
          return done.refused === 'invalid' ? refuse(reply, done.fields) : refuse(reply, done.refused)
        },
      )
    },

    bodiless(scope, refuse) {
      scope.delete(
        PATH,
        {
          schema: {
            operationId: 'unsubscribeOwnPush',
            summary: 'Ends news by Web Push to this device',
            description: 'Ends news by Web Push to this device. Doing it twice succeeds.',
            response: { 204: nothing, ...errors(409) },
          },
        },
        async (request, reply) => {
          const refused = await (await needs.ownPush()).unsubscribe(sessionOf(request))
          return refused === null ? reply.code(204).send(null) : refuse(reply, refused.refused)
        },
      )
    },
  })
