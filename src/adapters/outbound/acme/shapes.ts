import { z } from 'zod'
import { problemSchema } from './acme-problem.ts'

// RFC 8555, 7.1. What is not here is not needed.

const url = z.url().max(2048)

export const directorySchema = z.object({ newNonce: url, newAccount: url, newOrder: url })
export type Directory = z.infer<typeof directorySchema>

const MAX_NAMES = 100

export const orderSchema = z.object({
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  authorizations: z.array(url).max(MAX_NAMES),
  finalize: url,
  certificate: url.optional(),
  error: problemSchema.optional(),
})
export type OrderShape = z.infer<typeof orderSchema>

/** RFC 8555, 8.1: base64url. It becomes a part of a path, and of a command for the DNS. */
const token = z.string().regex(/^[\w-]{16,256}$/)

const challengeSchema = z.object({
  type: z.string(),
  url: z.string(),
  token: z.string().optional(),
  error: problemSchema.optional(),
})

/** A challenge of a kind that this client knows. */
export const ownChallengeSchema = challengeSchema.extend({ url, token })

export const authorizationSchema = z.object({
  identifier: z.object({ type: z.literal('dns'), value: z.string().max(255) }),
  status: z.enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  challenges: z.array(challengeSchema).max(MAX_NAMES),
})
