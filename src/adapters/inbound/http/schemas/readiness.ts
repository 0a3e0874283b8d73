import { z } from 'zod'
import { findingCodes } from '../../../../core/account/readiness-findings.ts'

const statusSchema = z.enum(['ready', 'attention', 'not_ready']).meta({
  description: '`not_ready`: an alarm would reach nobody. `attention`: it would, but something should be fixed',
})

const findingSchema = z.object({
  code: z.enum(findingCodes),
  blocking: z.boolean().meta({ description: 'Whether an alarm would reach nobody because of it' }),
  contactId: z.uuid().optional(),
  days: z.number().int().optional(),
  percent: z.number().int().optional(),
  text: z.string().meta({ description: 'What is wrong, in the language of `Accept-Language`' }),
  remedy: z.string().meta({ description: 'What to do' }),
})

/** protocol.md#readiness. */
export const readinessSchema = z
  .object({ status: statusSchema, findings: z.array(findingSchema) })
  .meta({ id: 'Readiness', description: 'Whether help would reach the user, the worst first' })

export const userReadinessSchema = z
  .object({
    userId: z.uuid(),
    applicationId: z.uuid(),
    externalUserId: z.string(),
    name: z.string().nullable(),
    phone: z.string().nullable(),
    status: statusSchema,
    findings: z.array(findingSchema),
  })
  .meta({ id: 'UserReadiness', description: 'One user, and what would prevent help' })
