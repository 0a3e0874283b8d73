import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { NoteLook } from '../../../../app/operator/looks.ts'
import type { Application } from '../../../../core/account/application.ts'
import type { User } from '../../../../core/account/profile.ts'
import { isUuid } from '../../../../core/ingest/topic.ts'
import { type Action, roles } from '../../../../core/operator/role.ts'
import type { AccountStore, ApplicationStore, Page, ScopedQuery } from '../../../../ports/store.ts'
import { callerOf } from '../admission/caller.ts'
import { operatorProblem } from '../refusals.ts'
import { pageQuerySchema } from '../schemas/page.ts'

/** A role, and the applications in which it holds. */
export const grantShape = {
  role: z.enum(roles),
  applications: z.array(z.uuid()).readonly().nullable().meta({ description: 'null: all, and the site itself' }),
}

/** The id if it can be one of an application in which the caller may do what the route does, else null. */
export function applicationIdOf(request: Pick<FastifyRequest, 'getDecorator'>, id: string): string | null {
  const appId = id.toLowerCase()
  return isUuid(appId) && callerOf(request).may(appId) ? appId : null
}

/** `?app&text&cursor&limit` of lists across applications. */
export const listQuery = pageQuerySchema.extend({
  app: z.string().max(100).optional().meta({ description: 'Only of this application' }),
  text: z.string().trim().max(200).optional().meta({ description: 'Only what contains this, in any case' }),
})

/**
 * The part of a list that the caller may see. Null: the requested application is not in their scope, or does not exist.
 */
export function scopedQueryOf(
  request: Pick<FastifyRequest, 'getDecorator'>,
  { app, text, cursor, limit }: z.output<typeof listQuery>,
): ScopedQuery | null {
  const query = { text: text || null, after: cursor ?? null, limit }
  if (app === undefined) return { ...query, appIds: callerOf(request).grant.applications }
  const appId = applicationIdOf(request, app)
  return appId === null ? null : { ...query, appIds: [appId] }
}

/** Notes that the caller looks at a list: of one application, or of all that `query` names. */
export function noteListLook(
  noteLook: NoteLook,
  request: Pick<FastifyRequest, 'getDecorator'>,
  { appIds }: Pick<ScopedQuery, 'appIds'>,
  action: Action,
): void {
  const { actor, address } = callerOf(request)
  const appId = appIds?.length === 1 ? appIds[0]! : null
  noteLook({ actor, address, action, appId, userId: null, subject: null })
}

/** The user, if there is one and the caller may do what the route does in the application. */
export async function userFor(
  store: Pick<AccountStore, 'user'>,
  request: Pick<FastifyRequest, 'getDecorator'>,
  id: string,
): Promise<User | null> {
  const user = isUuid(id) ? await store.user(id.toLowerCase()) : null
  return user !== null && callerOf(request).may(user.appId) ? user : null
}

/** The application, if there is one and the caller may do there what the route does. */
export async function applicationFor(
  store: Pick<ApplicationStore, 'application'>,
  request: Pick<FastifyRequest, 'getDecorator'>,
  id: string,
): Promise<Application | null> {
  const appId = applicationIdOf(request, id)
  return appId === null ? null : store.application(appId)
}

/** A body without fields that are `undefined`, which JSON cannot say. */
export const asGiven = <T extends object>(body: T): { [K in keyof T]: Exclude<T[K], undefined> } => body as never

/**
 * The page as the API shows it. It may be short, or empty, while `hasMore`. With a cursor that is none of the list it
 * is refused: an empty page would say that there are no more alarms.
 */
export function pageOf<T, V>({ items, after, badCursor }: Page<T>, view: (item: T) => V) {
  if (badCursor) throw operatorProblem('bad_cursor')
  return { items: items.map(view), nextCursor: after, hasMore: after !== null }
}
