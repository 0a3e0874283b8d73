import { z } from 'zod'

/** Bounds of what somebody types who manages operators. Their names are checked as those of users are. */
export const loginField = z
  .string()
  .trim()
  .toLowerCase()
  .min(1, { abort: true })
  .max(254)
  .regex(/^[a-z0-9][a-z0-9._@+-]*$/, 'must have only letters, digits and . _ @ + -, and begin with a letter or digit')
