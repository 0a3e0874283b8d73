import { z } from 'zod'

/** The calling codes, or longer prefixes of E.164 numbers, that contacts of an application may have. Empty: any. */
export const allowedPrefixesSchema = z
  .array(z.string().regex(/^\+[1-9]\d{0,6}$/, 'must be prefixes such as +43,+49, or any'))
  .min(1)
  .max(100)

/** Whether `phone` (E.164) begins with one of `prefixes`, or there are none. */
export const isAllowedDestination = (phone: string, prefixes: readonly string[]): boolean =>
  prefixes.length === 0 || prefixes.some((prefix) => phone.startsWith(prefix))
