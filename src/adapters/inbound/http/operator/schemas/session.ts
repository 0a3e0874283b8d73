import { z } from 'zod'
import { roles } from '../../../../../core/operator/role.ts'

export const momentField = z.iso.datetime()

export const grantShape = {
  role: z.enum(roles),
  applications: z.array(z.uuid()).readonly().nullable().meta({ description: 'null: all, and the site itself' }),
}

export const recoveryCodesSchema = z.object({
  recoveryCodes: z.array(z.string()).readonly().meta({ description: 'To write down; shown once' }),
})

export const meSchema = z
  .object({
    kind: z.enum(['operator', 'token']),
    id: z.uuid(),
    name: z.string(),
    login: z.string().nullable().meta({ description: 'null for a token' }),
    ...grantShape,
    expiresAt: momentField.meta({ description: 'when the session or token ends, even while it is in use' }),
    idleUntil: momentField.meta({ description: 'when the session ends unless it is used' }),
    site: z.object({
      name: z.string(),
      version: z.string(),
      publicUrl: z.string().nullable(),
      node: z.string().nullable().meta({ description: 'null where there is one node' }),
    }),
  })
  .meta({ id: 'OperatorMe', description: 'Who is signed in' })

/** What a page asks before it shows anything: nobody being signed in is an answer, and no error. */
export const currentSchema = z
  .discriminatedUnion('signedIn', [
    meSchema.extend({ signedIn: z.literal(true) }),
    z.object({ signedIn: z.literal(false) }),
  ])
  .meta({ id: 'OperatorCurrent', description: 'Who is signed in, if anyone' })

export const signedInSchema = meSchema.extend({ recoveryCodesLeft: z.int() })

export const offerSchema = z.object({
  login: z.string(),
  name: z.string(),
  totpSecret: z.string().meta({ description: 'Base32, to type into an authenticator app' }),
  otpauthUri: z.string().meta({ description: 'the same for a QR code' }),
  expiresAt: momentField,
})

export const acceptedSchema = meSchema.extend(recoveryCodesSchema.shape)
