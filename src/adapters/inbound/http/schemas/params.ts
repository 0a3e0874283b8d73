import { z } from 'zod'

/**
 * `/:id`. Not checked as a UUID here: an id that is none is an unknown thing, a 404 rather than a 400
 * (protocol.md#rest).
 */
export const idParams = z.object({ id: z.string().meta({ format: 'uuid' }) })
