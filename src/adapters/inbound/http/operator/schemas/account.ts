import { z } from 'zod'
import type { AuditFilter } from '../../../../../core/operator/audit-query.ts'
import { pageQuerySchema } from '../../schemas/page.ts'
import { grantShape, momentField } from './session.ts'

export const sessionSchema = z
  .object({
    id: z.uuid(),
    createdAt: momentField,
    seenAt: momentField,
    endsAt: momentField,
    address: z.string(),
    browser: z.string(),
    current: z.boolean().meta({ description: 'the session of this request' }),
  })
  .meta({ id: 'OperatorSession', description: 'A signed-in browser' })

export const recoveryCodesLeftSchema = z.object({ left: z.int() })

export const operatorSchema = z
  .object({
    id: z.uuid(),
    login: z.string(),
    name: z.string(),
    ...grantShape,
    disabled: z.boolean(),
    createdAt: momentField,
    updatedAt: momentField,
    signedInAt: momentField.nullable(),
  })
  .meta({ id: 'Operator', description: 'An operator of the console' })

export const invitedSchema = z.object({
  url: z.string().meta({ description: 'The link for the first sign-in; shown once' }),
  expiresAt: momentField,
})

export const tokenSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    ...grantShape,
    createdBy: z.string(),
    createdAt: momentField,
    expiresAt: momentField,
    usedAt: momentField.nullable(),
  })
  .meta({ id: 'OperatorToken', description: 'An API token, without its secret' })

export const auditRowSchema = z
  .object({
    id: z.int(),
    at: momentField,
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

export const listOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item).readonly() })

const moment = z.iso.datetime({ offset: true })
export const auditQuery = pageQuerySchema.extend({
  actor: z.string().max(100).optional().meta({ description: 'An id, or `command` or `stranger`' }),
  action: z.string().max(60).optional().meta({ description: 'One, or what several begin with: `incident.`' }),
  app: z.string().max(100).optional().meta({ description: 'About this application' }),
  from: moment.optional(),
  to: moment.optional().meta({ description: 'Exclusive' }),
  text: z.string().trim().max(200).optional().meta({ description: 'In a name, address, subject or detail' }),
})

const momentOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text))

export const auditFilterOf = ({ actor, action, app, from, to, text }: z.output<typeof auditQuery>): AuditFilter => ({
  actor: actor || null,
  action: action || null,
  appId: app?.toLowerCase() || null,
  from: momentOf(from),
  to: momentOf(to),
  text: text || null,
})
