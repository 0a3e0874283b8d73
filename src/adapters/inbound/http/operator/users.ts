import { z } from 'zod'
import type { NoteLook } from '../../../../app/operator/looks.ts'
import { eraseUserBy, missingDetails, setUserDisabled, userView } from '../../../../app/operator/users.ts'
import { contactView } from '../../../../core/account/contact.ts'
import { deviceView } from '../../../../core/account/device.ts'
import type { User } from '../../../../core/account/profile.ts'
import { isoAt } from '../../../../core/ingest/event-time.ts'
import type { AuditStore, ErasureStore, Store } from '../../../../ports/store.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import type { Refusals } from '../refusals.ts'
import { errors } from '../schemas/error.ts'
import { pageSchema } from '../schemas/page.ts'
import { idParams } from '../schemas/params.ts'
import { exampleList, exampleQuery, exampleUser, userId } from './examples.ts'
import { listQuery, noteListLook, pageOf, scopedQueryOf, userFor } from './scope.ts'

const PATH = '/v1/operator/users'

const moment = z.iso.datetime()
export const userSchema = z
  .object({
    id: z.uuid(),
    applicationId: z.uuid(),
    externalUserId: z.string(),
    name: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    address: z.string().nullable(),
    language: z
      .string()
      .nullable()
      .meta({ description: 'BCP 47: the language of texts to the person. null: the application’s' }),
    groups: z.array(z.string()).readonly(),
    disabled: z.boolean(),
    relay: z.boolean().meta({ description: 'A listed relay' }),
    enrolledBy: z
      .enum(['person', 'poster', 'contact'])
      .nullable()
      .meta({ description: 'The invitation to the app that made the user; null: a backend vouches for them' }),
    erasesAt: z.iso.datetime().nullable().meta({ description: 'When their own request to be erased takes effect' }),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'OperatorUser', description: 'A user' })
export const userDetailSchema = userSchema.extend({
  notes: z.string().nullable().meta({ description: 'What operators wrote down; nobody else reads it' }),
  contacts: z.array(
    z.looseObject({
      id: z.uuid(),
      name: z.string(),
      phone: z.string(),
      email: z.string().nullable(),
      language: z.string(),
      priority: z.int(),
      verifiedAt: moment.optional(),
      declinedAt: moment.optional(),
      stoppedAt: moment.optional(),
    }),
  ),
  devices: z.array(z.looseObject({ id: z.uuid(), hardwareId: z.string(), pairedAt: moment })),
  openIncident: z.object({ incidentId: z.uuid(), status: z.string(), openedAt: moment }).nullable(),
  hasApp: z.boolean().meta({ description: 'The application has the app in the box, or had it' }),
  lacks: z
    .array(z.enum(['contacts', 'name', 'phone']))
    .readonly()
    .meta({ description: 'What an alarm of this user would lack' }),
})
const erasedSchema = z.object({
  userId: z.uuid(),
  clean: z.boolean().meta({ description: 'Nothing is left in the database and its log' }),
  cameBack: z.boolean().meta({ description: 'A phone connected again meanwhile: the user exists again, without data' }),
  remaining: z.array(z.string()).readonly().meta({ description: 'What is left to do by hand' }),
})

const refusals = {
  all_clear_pending: {
    kind: 'CONFLICT',
    message: 'The contacts are still being told that the last incident is over. Try again in a few minutes.',
  },
} as const satisfies Refusals

const user = exampleUser

type Needs = OperatorAdmission & {
  readonly store: AuditStore &
    ErasureStore &
    Pick<Store, 'user' | 'userByExternalId' | 'userPage' | 'contacts' | 'devices' | 'openIncident' | 'application'>
  readonly noteLook: NoteLook
  /** Closes the connections that are no longer admitted, on this node: other nodes have a notice. */
  readonly endSessions: (appId: string) => void
  readonly pause: (ms: number) => Promise<void>
  /** Databases that earlier restores set aside, which still contain the erased user. */
  readonly keptDatabases: () => readonly string[]
}

const shown = (user: User) => {
  const { appId, ...view } = userView(user)
  return { applicationId: appId, ...view }
}

const STILL_OPEN = 'An incident of this user is open. It must be cancelled or resolved first.'

/** Warnings about copies that an erasure could not remove, by reason. */
const remains = {
  none: [],
  in_use: ['Another process kept reading, so the log of the database could not be emptied: restart the service.'],
  left: [
    'Copies may remain in unused parts of the database file: stop the service, make a backup, restore it, and delete the database that the restore keeps.',
  ],
} as const

/** The people of the applications. protocol.md#operator-api. */
export const operatorUserRoutes = (needs: Needs) => {
  const { store, noteLook, endSessions } = needs
  return family('OPERATOR', needs, {
    refusals,

    bodiless(scope, refuse) {
      scope.get(
        PATH,
        {
          config: { action: 'user.view' },
          schema: {
            operationId: 'listUsers',
            summary: 'Lists users, by application and external id',
            description:
              'Users by application and external id; `text` looks in external id, name, phone number, e-mail address and groups. A page that had to look through very many may be short, or empty, although `hasMore`.',
            querystring: listQuery,
            response: { 200: pageSchema(userSchema), ...errors(400, 404) },
            examples: { parameters: exampleQuery, answers: { 200: exampleList(user) } },
          },
        },
        async (request, reply) => {
          const query = scopedQueryOf(request, request.query)
          if (query === null) return refuse(reply, 'application_not_found')
          noteListLook(noteLook, request, query, 'user.view')
          const { inTurn } = callerOf(request)
          return pageOf(await inTurn(() => store.userPage(query)), shown)
        },
      )

      scope.get(
        `${PATH}/:id`,
        {
          config: { action: 'user.view' },
          schema: {
            operationId: 'getUser',
            summary: 'One user',
            description:
              'A user with contacts, trackers, the open incident, and what an alarm would lack. Noted in the audit log.',
            params: idParams,
            response: { 200: userDetailSchema, ...errors(404) },
            examples: {
              parameters: { id: userId },
              answers: {
                200: {
                  ...user,
                  notes: null,
                  contacts: [],
                  devices: [],
                  openIncident: null,
                  hasApp: false,
                  lacks: ['contacts'],
                },
              },
            },
          },
        },
        async (request, reply) => {
          const user = await userFor(store, request, request.params.id)
          if (user === null) return refuse(reply, 'user_not_found')
          const { actor, address } = callerOf(request)
          noteLook({ actor, address, action: 'user.view', appId: user.appId, userId: user.id, subject: null })
          const [contacts, devices, open, application] = await Promise.all([
            store.contacts(user.id),
            store.devices(user.id),
            store.openIncident(user.id),
            store.application(user.appId),
          ])
          return {
            ...shown(user),
            notes: user.operatorNotes,
            contacts: contacts.map(contactView),
            devices: devices.map(deviceView),
            openIncident: open && {
              incidentId: open.incident.id,
              status: open.incident.state.status,
              openedAt: isoAt(open.incident.openedAt),
            },
            hasApp: (application?.webApp ?? null) !== null,
            lacks: missingDetails(user, contacts, application),
          }
        },
      )

      for (const [word, disabled, said] of [
        [
          'disable',
          true,
          {
            operationId: 'disableUser',
            summary: 'Stops admitting a user',
            description: 'Stops admitting a user and closes their connections within 2 s.',
          },
        ],
        [
          'enable',
          false,
          {
            operationId: 'enableUser',
            summary: 'Admits a user again',
            description: 'Enables a disabled user: they are admitted again.',
          },
        ],
      ] as const) {
        scope.post(
          `${PATH}/:id/${word}`,
          {
            // A user who is no longer admitted can raise no alarm.
            config: { action: disabled ? 'user.change' : 'user.enable' },
            schema: {
              ...said,
              params: idParams,
              response: { 200: userSchema, ...errors(404) },
              examples: { parameters: { id: userId }, answers: { 200: { ...user, disabled } } },
            },
          },
          async (request, reply) => {
            const user = await userFor(store, request, request.params.id)
            if (user === null) return refuse(reply, 'user_not_found')
            const changed = await setUserDisabled(needs, user, disabled, callerOf(request).by())
            if ('refused' in changed) return refuse(reply, changed.refused)
            endSessions(user.appId)
            return shown(changed)
          },
        )
      }

      scope.delete(
        `${PATH}/:id`,
        {
          config: { action: 'user.change' },
          schema: {
            operationId: 'eraseUser',
            summary: 'Erases everything kept of a user',
            description:
              'Erases everything kept of a user, without a trace; takes a few seconds. Refused while an incident is open, or contacts are still being told that one is over.',
            params: idParams,
            response: { 200: erasedSchema, ...errors(404, 409) },
            examples: {
              parameters: { id: userId },
              answers: {
                200: { userId, clean: true, cameBack: false, remaining: ['Earlier backups still contain the user.'] },
              },
            },
          },
        },
        async (request, reply) => {
          const user = await userFor(store, request, request.params.id)
          if (user === null) return refuse(reply, 'user_not_found')
          // Before the sessions have ended, `eraseUser` waits for them: the user is no longer admitted by then.
          const pause = (ms: number): Promise<void> => {
            endSessions(user.appId)
            return needs.pause(ms)
          }
          const erased = await eraseUserBy({ store, pause }, user, callerOf(request).by())
          if ('refused' in erased) {
            return refuse(reply, erased.refused, erased.refused === 'incident_open' ? { message: STILL_OPEN } : {})
          }
          const { userId, traces, cameBack } = erased
          const kept = needs
            .keptDatabases()
            .map((file) => `Delete this database, which an earlier restore kept: ${file}`)
          const remaining = [...remains[traces], 'Earlier backups still contain the user: delete them.', ...kept]
          return { userId, clean: traces === 'none', cameBack, remaining }
        },
      )
    },
  })
}
