import { z } from 'zod'
import type { OperatorOnCall } from '../../../../app/operator/on-call.ts'
import { onCallFindingCodes } from '../../../../core/account/on-call-findings.ts'
import { onCallFields, onCallMoment, overrideFields } from '../../../../core/account/on-call-schema.ts'
import { type Caller, callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { bodyErrors, errors } from '../schemas/error.ts'

const PATH = '/v1/operator/on-call'

const instant = z.iso.datetime()
const dutySchema = z.object({
  from: instant,
  until: instant,
  personId: z.uuid().nullable().meta({ description: 'Null: a gap, nobody is on duty' }),
  name: z.string().nullable(),
  overrideId: z.uuid().nullable().meta({ description: 'The override that makes it so; null: the rotation' }),
})

export const onCallSchema = z
  .object({
    list: z
      .object({
        version: z.int(),
        timeZone: z.string(),
        afterMinutes: z
          .int()
          .meta({ description: 'How long an alarm waits for somebody who takes it before the one on duty is alerted' }),
        handOverAt: z.string(),
        startsOn: z.string(),
        everyDays: z.int(),
        order: z.array(z.uuid()).readonly(),
        people: z
          .array(
            z.object({
              id: z.uuid(),
              name: z.string(),
              phone: z.string().nullable().meta({ description: 'Null: not shown to this caller' }),
              language: z.string(),
              operatorId: z.uuid().nullable(),
              disabled: z
                .boolean()
                .meta({ description: 'Their account is disabled, and the next in turn has their duties' }),
              told: z.object({ at: instant, accepted: z.boolean() }).nullable().meta({
                description: 'When the number was told that it is on the list; `accepted`: a provider took it',
              }),
            }),
          )
          .readonly(),
        overrides: z
          .array(z.object({ id: z.uuid(), personId: z.uuid(), from: instant, until: instant, setAt: instant }))
          .readonly()
          .meta({ description: 'As they were set: of two that overlap, the later one counts' }),
        reviewedAt: instant,
      })
      .nullable()
      .meta({ description: 'Null: there is no list yet; its first version is set with `version: 0`' }),
    now: z.object({ personId: z.uuid().nullable(), name: z.string().nullable(), until: instant.nullable() }),
    duties: z.array(dutySchema).readonly(),
    ownPersonId: z.uuid().nullable().meta({ description: 'The caller’s own entry on the list' }),
    findings: z
      .array(
        z.object({
          code: z.enum(onCallFindingCodes),
          from: instant.nullable(),
          until: instant.nullable(),
          names: z.array(z.string()).readonly(),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'OnCall', description: 'Who is alerted when nobody takes an alarm' })

const shownQuery = z.object({
  from: onCallMoment.optional().meta({ description: 'Of `duties`; default: now' }),
  until: onCallMoment.optional().meta({ description: 'Default: 14 days later; at most 62' }),
})
const takeSchema = overrideFields.omit({ personId: true })
const overrideParams = z.object({ id: z.string() })
const confirmSchema = z.strictObject({ version: z.int().min(0) })

const refusals = {
  on_call_changed: { kind: 'CONFLICT', message: 'Somebody has changed the on-call list. Load it again.' },
  on_call_person_not_found: {
    kind: 'CONFLICT',
    message: 'This person is not on the on-call list. An administrator puts people on it.',
  },
  override_invalid: {
    kind: 'CONFLICT',
    message: 'An override begins before it ends, ends in the future, and lasts 62 days at most; 7 if it is one’s own.',
  },
  too_many_overrides: { kind: 'LIMIT', message: 'There are 100 overrides, or 20 of this person. Remove some first.' },
  override_not_found: { kind: 'NOT_FOUND', message: 'There is no such override.' },
} as const satisfies Refusals

const ivo = '0197f69e-7a10-7b20-8c30-2b3c4d5e6f70'
const at = '2026-05-01T06:00:00.000Z'
const later = '2026-05-08T06:00:00.000Z'
const given = {
  timeZone: 'Europe/Vienna',
  afterMinutes: 5,
  handOverAt: '08:00',
  startsOn: '2026-05-01',
  everyDays: 7,
  order: [ivo],
}
const person = { id: ivo, name: 'Ivo Early', phone: '+4366012345678', language: 'de', operatorId: null }
const example = {
  list: {
    ...given,
    version: 1,
    people: [{ ...person, disabled: false, told: { at, accepted: true } }],
    overrides: [],
    reviewedAt: at,
  },
  now: { personId: ivo, name: 'Ivo Early', until: later },
  duties: [{ from: at, until: later, personId: ivo, name: 'Ivo Early', overrideId: null }],
  ownPersonId: null,
  findings: [],
}
const overrideId = '0197f69e-7b10-7c20-8d30-3c4d5e6f7081'

type Needs = OperatorAdmission & { readonly onCall: () => Promise<OperatorOnCall> }

const askerOf = (caller: Caller) => ({ ...caller.by(), grant: caller.grant })
const ms = (moment: string | undefined): number | undefined => (moment === undefined ? undefined : Date.parse(moment))
const span = ({ from, until }: { readonly from?: string | undefined; readonly until?: string | undefined }) => ({
  ...(from !== undefined && { from: ms(from)! }),
  ...(until !== undefined && { until: ms(until)! }),
})

/** The on-call list (on-call.md). */
export const operatorOnCallRoutes = (needs: Needs) => {
  const { onCall } = needs
  const changed = { 200: onCallSchema, ...bodyErrors, ...errors(404, 409) }
  return family('OPERATOR', needs, {
    refusals,

    json(scope, refuse) {
      scope.put(
        PATH,
        {
          config: { action: 'on_call.change' },
          schema: {
            operationId: 'setOnCall',
            summary: 'Sets the on-call list',
            description:
              'Sets who takes turns, everything but the overrides. Numbers that are new on the list get an SMS that says so. 409 `on_call_changed` if somebody has changed it since `version`.',
            body: onCallFields,
            response: changed,
            examples: {
              body: { version: 0, ...given, people: [person] },
              answers: { 200: example },
            },
          },
        },
        async (request, reply) => {
          const done = await (await onCall()).set(askerOf(callerOf(request)), request.body)
          return 'refused' in done ? refuse(reply, done.refused) : done
        },
      )

      scope.post(
        `${PATH}/overrides`,
        {
          config: { action: 'on_call.change' },
          schema: {
            operationId: 'overrideOnCall',
            summary: 'Puts somebody on duty for a while',
            description:
              'Puts a person of the list on duty, whatever the rotation says; of two overrides that overlap, the later one counts. 409 `override_invalid`, `on_call_person_not_found`.',
            body: overrideFields,
            response: changed,
            examples: { body: { personId: ivo, from: at, until: later }, answers: { 200: example } },
          },
        },
        async (request, reply) => {
          const { personId } = request.body
          const asked = { ...(personId !== undefined && { personId }), ...span(request.body) }
          const done = await (await onCall()).override(askerOf(callerOf(request)), asked)
          return 'refused' in done ? refuse(reply, done.refused) : done
        },
      )

      scope.post(
        `${PATH}/take`,
        {
          config: { action: 'on_call.take' },
          schema: {
            operationId: 'takeOnCall',
            summary: 'Takes a duty oneself',
            description:
              'Puts the caller on duty: by default from now until the next hand-over, at most 7 days. For operators who are on the list; 409 `on_call_person_not_found` for others.',
            body: takeSchema,
            response: changed,
            examples: { body: { until: later }, answers: { 200: example } },
          },
        },
        async (request, reply) => {
          const done = await (await onCall()).take(askerOf(callerOf(request)), span(request.body))
          return 'refused' in done ? refuse(reply, done.refused) : done
        },
      )

      scope.post(
        `${PATH}/confirm`,
        {
          config: { action: 'on_call.change' },
          schema: {
            operationId: 'confirmOnCall',
            summary: 'Says that the list is right as it is',
            description: 'Says that somebody has looked at the list, and that it is right. 409 `on_call_changed`.',
            body: confirmSchema,
            response: changed,
            examples: { body: { version: 1 }, answers: { 200: example } },
          },
        },
        async (request, reply) => {
          const done = await (await onCall()).confirm(askerOf(callerOf(request)), request.body.version)
          return 'refused' in done ? refuse(reply, done.refused) : done
        },
      )
    },

    bodiless(scope, refuse) {
      scope.get(
        PATH,
        {
          config: { action: 'on_call.view' },
          schema: {
            operationId: 'getOnCall',
            summary: 'Who is on call, now and in the next days',
            description:
              'The on-call list, who is on duty now, and the duties of the days asked for. Numbers are shown to administrators of the site, and to everybody their own.',
            querystring: shownQuery,
            response: { 200: onCallSchema, ...errors(400) },
            examples: { parameters: { from: at, until: later }, answers: { 200: example } },
          },
        },
        async (request) => (await onCall()).view(askerOf(callerOf(request)), span(request.query)),
      )

      for (const [path, action, method, said] of [
        [
          'overrides',
          'on_call.change',
          'remove',
          {
            operationId: 'removeOnCallOverride',
            summary: 'Removes an override',
            description: 'Removes an override: the rotation, or an earlier override, counts again.',
          },
        ],
        [
          'take',
          'on_call.take',
          'giveBack',
          {
            operationId: 'giveBackOnCall',
            summary: 'Gives a duty back that the caller has taken',
            description: 'Removes an override of the caller’s own: the rotation, or an earlier override, counts again.',
          },
        ],
      ] as const) {
        scope.delete(
          `${PATH}/${path}/:id`,
          {
            config: { action },
            schema: {
              ...said,
              params: overrideParams,
              response: { 200: onCallSchema, ...errors(404) },
              examples: { parameters: { id: overrideId }, answers: { 200: example } },
            },
          },
          async (request, reply) => {
            const done = await (await onCall())[method](askerOf(callerOf(request)), request.params.id)
            return 'refused' in done ? refuse(reply, done.refused) : done
          },
        )
      }
    },
  })
}
