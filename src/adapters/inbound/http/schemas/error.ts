import { z } from 'zod'

/** The error body of protocol.md#errors. */
export const errorSchema = z
  .object({
    error: z.object({
      code: z.string().meta({ id: 'ErrorCode' }),
      message: z.string(),
      requestId: z.string().meta({ description: 'Also sent in the X-Request-Id header' }),
      fields: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
      reason: z.string().optional().meta({ description: 'Operator API: what programs can tell apart' }),
    }),
  })
  .meta({ id: 'ApiError' })

/** Response schemas of error statuses. */
export const errors = <S extends number>(...statuses: readonly S[]): Record<S, typeof errorSchema> =>
  Object.fromEntries(statuses.map((status) => [status, errorSchema])) as Record<S, typeof errorSchema>

/** The error statuses that a JSON body can cause. */
export const bodyErrors = errors(400, 413, 415)
