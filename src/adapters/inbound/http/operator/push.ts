import { z } from 'zod'
import type { ownOperatorPush } from '../../../../app/push/own-operator-push.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import { later, type Refusals } from '../refusals.ts'
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
import { presenceRefusals } from './not-present.ts'

const PATH = '/v1/operator/push'
const wholeText = shownField('The name of the person, too; otherwise that there is an alarm')

const subscriptionSchema = z
  .object(subscriptionFields(wholeText))
  .meta({ id: 'OperatorPushSubscription', description: 'Web Push to the browser of this session' })
export const operatorPushSchema = z
  .object(pushFields(subscriptionSchema, 'Null: this browser gets none'))
  .meta({ id: 'OperatorPush' })
const testedSchema = z.object({ outcome: z.enum(['sent', 'gone', 'refused', 'unreachable']) })

const subscribingSchema = z
  .object(subscribingFields(wholeText))
  .meta({ id: 'OperatorPushSubscribing', description: SUBSCRIBING })

const refusals = {
  ...presenceRefusals,
  push_limit: {
    kind: 'CONFLICT',
    message: 'Five of your browsers get alarms already. Switch one off there, or sign it out.',
  },
  push_not_found: { kind: 'NOT_FOUND', message: 'This browser gets no alarms by Web Push.' },
  push_unavailable: pushUnavailable('This site sends nothing by Web Push at the moment. Its log says why.'),
} as const satisfies Refusals

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
            body: subscribingSchema,
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
          return 'refused' in tested ? refuse(reply, tested.refused, later(tested)) : tested
        },
      )
    },
  })
