import { z } from 'zod'
import type { PageQuery } from '../../../../ports/store.ts'

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 20
const LIMIT_RULE = `must be a whole number from 1 to ${MAX_LIMIT}`

/** `?limit`. protocol.md#pages: anything but a whole number from 1 to 100 is a 400. */
export const limitField = (usual: number) =>
  z
    .string(LIMIT_RULE)
    .refine((text) => /^[0-9]{1,3}$/.test(text), { error: LIMIT_RULE, abort: true })
    .transform(Number)
    .pipe(z.number().min(1, LIMIT_RULE).max(MAX_LIMIT, LIMIT_RULE))
    .default(usual)
    .meta({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: `Defaults to ${usual}` })

/** `?cursor&limit` of every page. */
export const pageQuerySchema = z.object({
  cursor: z.string().min(1).max(512).optional().meta({ description: 'The `nextCursor` of the previous page' }),
  limit: limitField(DEFAULT_LIMIT),
})

export const pageQueryOf = ({ cursor, limit }: z.output<typeof pageQuerySchema>): PageQuery => ({
  after: cursor ?? null,
  limit,
})

export const pageSchema = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item).readonly(),
    nextCursor: z.string().nullable().meta({ description: 'Opaque; stays valid while new rows arrive' }),
    hasMore: z.boolean(),
  })
