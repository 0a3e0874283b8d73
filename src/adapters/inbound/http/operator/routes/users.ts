import { eraseUserBy, lacksOf, setUserDisabled, userView } from '../../../../../app/operator/users.ts'
import { contactView } from '../../../../../core/account/contact.ts'
import { deviceView } from '../../../../../core/account/device.ts'
import type { User } from '../../../../../core/account/profile.ts'
import { isoAt } from '../../../../../core/ingest/event-time.ts'
import { SECOND } from '../../../../../lib/durations.ts'
import { callerOf } from '../../admission/caller.ts'
import type { HttpParts } from '../../parts.ts'
import { errors } from '../../schemas/error.ts'
import { pageSchema } from '../../schemas/page.ts'
import { idParams } from '../../schemas/params.ts'
import { operatorFamily } from '../family.ts'
import type { OperatorParts } from '../parts.ts'
import { contactAskedSchema, contactParams, erasedSchema, userDetailSchema, userSchema } from '../schemas/estate.ts'
import { listQuery, noteListLook, pageOf, scopedQueryOf, userFor } from '../scope.ts'

const PATH = '/v1/operator/users'

const shown = (user: User) => {
  const { appId, ...view } = userView(user)
  return { applicationId: appId, ...view }
}

const NO_CONTACT = 'This user has no such contact.'
const STILL_OPEN = 'An incident of this user is open. It must be cancelled or resolved first.'

/** What remains after an erasure, by what kept it. */
const remains = {
  none: [],
  in_use: ['Another process kept reading, so the log of the database could not be emptied: restart the service.'],
  left: [
    'Copies may remain in unused parts of the database file: stop the service, make a backup, restore it, and delete the database that the restore keeps.',
  ],
} as const

/** The people of the applications. protocol.md#operator-api. */
export const userRoutes = (parts: Pick<HttpParts, 'log'> & { readonly operator: OperatorParts }) => {
  const { estate } = parts.operator
  const { store } = estate

  return operatorFamily(parts, {
    bodiless(scope, refuse) {
      scope.get(
        PATH,
        {
          config: { action: 'user.view' },
          schema: {
            summary: 'Lists users, by application and external id',
            querystring: listQuery,
            response: { 200: pageSchema(userSchema), ...errors(400, 404) },
          },
        },
        async (request, reply) => {
          const query = scopedQueryOf(request, request.query)
          if (query === null) return refuse(reply, 'application_not_found')
          noteListLook(estate.look, request, query, 'user.view')
          const { inTurn } = callerOf(request)
          return pageOf(await inTurn(() => store.userPage(query)), shown)
        },
      )

      scope.get(
        `${PATH}/:id`,
        {
          config: { action: 'user.view' },
          schema: { summary: 'One user', params: idParams, response: { 200: userDetailSchema, ...errors(404) } },
        },
        async (request, reply) => {
          const user = await userFor(store, request, request.params.id)
          if (user === null) return refuse(reply, 'user_not_found')
          const { actor, address } = callerOf(request)
          estate.look({ actor, address, action: 'user.view', appId: user.appId, userId: user.id, subject: null })
          const [contacts, devices, open, application] = await Promise.all([
            store.contacts(user.id),
            store.devices(user.id),
            store.openIncident(user.id),
            store.application(user.appId),
          ])
          return {
            ...shown(user),
            contacts: contacts.map(contactView),
            devices: devices.map(deviceView),
            openIncident: open && {
              incidentId: open.incident.id,
              status: open.incident.state.status,
              openedAt: isoAt(open.incident.openedAt),
            },
            lacks: lacksOf(user, contacts, application),
          }
        },
      )

      for (const [word, disabled] of [
        ['disable', true],
        ['enable', false],
      ] as const) {
        scope.post(
          `${PATH}/:id/${word}`,
          {
            // A user who is no longer admitted can raise no alarm.
            config: { action: disabled ? 'user.change' : 'user.enable' },
            schema: {
              summary: disabled ? 'Stops admitting a user' : 'Admits a user again',
              params: idParams,
              response: { 200: userSchema, ...errors(404) },
            },
          },
          async (request, reply) => {
            const user = await userFor(store, request, request.params.id)
            if (user === null) return refuse(reply, 'user_not_found')
            const changed = await setUserDisabled(estate, user, disabled, callerOf(request).by())
            if ('refused' in changed) return refuse(reply, changed.refused)
            estate.endSessions(user.appId)
            return shown(changed)
          },
        )
      }

      scope.post(
        `${PATH}/:id/contacts/:contactId/verify`,
        {
          config: { action: 'contact.verify' },
          schema: {
            summary: 'Asks a contact, by SMS, whether they agree',
            params: contactParams,
            response: { 202: contactAskedSchema, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const user = await userFor(store, request, request.params.id)
          if (user === null) return refuse(reply, 'user_not_found')
          const asked = await estate.askContact(user, request.params.contactId.toLowerCase(), callerOf(request).by())
          if (!('refused' in asked)) return reply.code(202).send(asked)
          if (asked.refused === 'contact_not_found') return refuse(reply, asked.refused, { message: NO_CONTACT })
          if (asked.retryAfterMs === null) return refuse(reply, 'verification_used_up')
          const seconds = Math.max(1, Math.ceil(asked.retryAfterMs / SECOND))
          return refuse(reply, asked.refused, { headers: { 'retry-after': String(seconds) } })
        },
      )

      scope.delete(
        `${PATH}/:id`,
        {
          config: { action: 'user.change' },
          schema: {
            summary: 'Erases everything kept of a user',
            params: idParams,
            response: { 200: erasedSchema, ...errors(404, 409) },
          },
        },
        async (request, reply) => {
          const user = await userFor(store, request, request.params.id)
          if (user === null) return refuse(reply, 'user_not_found')
          // Before the sessions have ended, `eraseUser` waits for them: the user is no longer admitted by then.
          const pause = (ms: number): Promise<void> => {
            estate.endSessions(user.appId)
            return estate.pause(ms)
          }
          const erased = await eraseUserBy({ store, pause }, user, callerOf(request).by())
          if ('refused' in erased) {
            return refuse(reply, erased.refused, erased.refused === 'incident_open' ? { message: STILL_OPEN } : {})
          }
          const { userId, traces, cameBack } = erased
          const kept = estate
            .keptDatabases()
            .map((file) => `Delete this database, which an earlier restore kept: ${file}`)
          const remaining = [...remains[traces], 'Earlier backups still contain the user: delete them.', ...kept]
          return { userId, clean: traces === 'none', cameBack, remaining }
        },
      )
    },
  })
}
