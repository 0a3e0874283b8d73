import { InvalidArgumentError } from 'commander'
import type { z } from 'zod'
import { valueOfText } from '../config/keys.ts'
import { valueMessage } from '../config/problem.ts'

/** Parses an option or argument with a schema, for commander. A value that the schema refuses is wrong use. */
export const parsed =
  <T>(schema: z.ZodType<T>) =>
  (text: string): T => {
    const result = schema.safeParse(valueOfText(schema, text), { error: valueMessage })
    if (result.success) return result.data
    throw new InvalidArgumentError(`It ${result.error.issues[0]!.message}.`)
  }
