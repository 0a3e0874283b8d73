import { z } from 'zod'
import type { management } from '../../../../app/operator/management.ts'
import { isoAt } from '../../../../core/ingest/event-time.ts'
import type { AuditRow } from '../../../../core/operator/audit.ts'
import type { AuditFilter } from '../../../../core/operator/audit-query.ts'
import { callerOf } from '../admission/caller.ts'
import type { OperatorAdmission } from '../admission/operators.ts'
import { family } from '../family.ts'
import { errors } from '../schemas/error.ts'
import { pageQueryOf, pageQuerySchema, pageSchema } from '../schemas/page.ts'
import { exampleList, operatorId } from './examples.ts'
import { pageOf } from './scope.ts'

const moment = z.iso.datetime()
export const auditRowSchema = z
  .object({
    id: z.int(),
    at: moment,
    actor: z.object({
      kind: z.enum(['operator', 'token', 'command', 'stranger']),
      id: z.string().nullable(),
      name: z.string(),
    }),
    address: z.string().nullable(),
    action: z.string(),
    subject: z.string().nullable(),
    applicationId: z.string().nullable(),
    userId: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditRow', description: 'Who did what' })

const givenMoment = z.iso.datetime({ offset: true })
const auditQuery = pageQuerySchema.extend({
  actor: z.string().max(100).optional().meta({ description: 'An id, or `command` or `stranger`' }),
  action: z
    .string()
    .max(300)
    .optional()
    .meta({ description: 'One, or what several begin with: `incident.`. More than one with commas between them' }),
  app: z.string().max(100).optional().meta({ description: 'About this application' }),
  from: givenMoment.optional(),
  to: givenMoment.optional().meta({ description: 'Exclusive' }),
  text: z.string().trim().max(200).optional().meta({ description: 'In a name, address, subject or detail' }),
})

const momentOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text))

const auditFilterOf = ({ actor, action, app, from, to, text }: z.output<typeof auditQuery>): AuditFilter => ({
  actor: actor || null,
  actions: action ? action.split(',').filter(Boolean) : null,
  appId: app?.toLowerCase() || null,
  from: momentOf(from),
  to: momentOf(to),
  text: text || null,
})

const auditRow = {
  id: 17,
  at: '2026-05-01T14:08:12.000Z',
  actor: { kind: 'operator', id: operatorId, name: 'Ana' },
  address: '192.0.2.7',
  action: 'operator.manage',
  subject: operatorId,
  applicationId: null,
  userId: null,
  details: { change: 'updated', fields: ['disabled'] },
}

type Needs = OperatorAdmission & { readonly manage: Pick<ReturnType<typeof management>, 'audit'> }

const auditView = ({ at, appId, ...row }: AuditRow) => ({ ...row, at: isoAt(at), applicationId: appId })

/** The audit log: for admins of the site. protocol.md#operator-api. */
export const operatorAuditRoutes = (needs: Needs) => {
  const { manage } = needs
  return family('OPERATOR', needs, {
    bodiless(scope) {
      scope.get(
        '/v1/operator/audit',
        {
          config: { action: 'audit.view' },
          schema: {
            operationId: 'listAudit',
            summary: 'Lists the audit log, newest first',
            description:
              'Who did what, from where and when, and which fields were changed, never their contents. With filters, a page reads at most 20,000 rows, so it may be short, or empty, although `hasMore`. For admins of the site.',
            querystring: auditQuery,
            response: { 200: pageSchema(auditRowSchema), ...errors(400) },
            examples: {
              parameters: {
                cursor: 'eyJvIjoxfQ',
                limit: 20,
                actor: 'command',
                action: 'incident.',
                app: '0197f6a0-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
                from: '2026-05-01T00:00:00Z',
                to: '2026-06-01T00:00:00Z',
                text: 'hut',
              },
              answers: { 200: exampleList(auditRow) },
            },
          },
        },
        async (request) => {
          const filter = auditFilterOf(request.query)
          return pageOf(
            await callerOf(request).inTurn(() => manage.audit(pageQueryOf(request.query), filter)),
            auditView,
          )
        },
      )
    },
  })
}
