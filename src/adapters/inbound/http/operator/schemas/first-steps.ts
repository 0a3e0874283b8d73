import { z } from 'zod'
export const firstStepsSchema = z.object({
  application: z.object({ applicationId: z.uuid(), name: z.string() }).nullable(),
  contact: z
    .object({
      name: z.string(),
      externalUserId: z.string().nullable().meta({ description: 'null: the last contact of every cascade' }),
    })
    .nullable(),
  test: z.object({ at: z.iso.datetime() }).nullable().meta({ description: 'The last test message that was accepted' }),
  simulated: z.boolean(),
  maySimulate: z.boolean().meta({ description: 'No SMS or call leaves this machine' }),
  done: z.boolean().meta({ description: 'Nothing is left to do' }),
})
