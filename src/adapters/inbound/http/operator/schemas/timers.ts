import { z } from 'zod'
import { timerSchema } from '../../schemas/account.ts'
import { idParams } from '../../schemas/params.ts'

export const timerParams = idParams.extend({ timerId: z.string().meta({ format: 'uuid' }) })
export const timersSchema = z.object({ items: z.array(timerSchema) })
export const runningTimerSchema = timerSchema
  .extend({
    applicationId: z.uuid(),
    userId: z.uuid(),
    externalUserId: z.string(),
    userName: z.string().nullable(),
  })
  .meta({ id: 'OperatorTimer', description: 'A running timer with its owner' })
