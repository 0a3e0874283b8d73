import { z } from 'zod'
import { nameField } from '../account/profile-schema.ts'
import { endOutcomes } from '../incident/incident.ts'
import { MAX_PASSKEY_NAME } from './passkey.ts'
import { roles } from './role.ts'

/** WebAuthn allows 1,023 bytes. */
const MAX_PASSKEY_ID = 1_364

/** Limits of the fields for managing operators. Names are checked like those of users. */
export const loginField = z
  .string()
  .trim()
  .toLowerCase()
  .min(1, { abort: true })
  .max(254)
  .regex(/^[a-z0-9][a-z0-9._@+-]*$/, 'must have only letters, digits and . _ @ + -, and begin with a letter or digit')

/** The sign-in fields, limited only in length. A malformed one is a wrong password, not a bad field. */
export const signInFields = z.object({
  login: z.string().max(254),
  password: z.string().max(200),
  code: z.string().max(40),
})

/** Bytes in base64url. A malformed one belongs to no passkey. */
const bytesField = (maxLength: number) => z.string().max(maxLength)

/** The signature of a passkey, as the browser answers it. */
export const passkeySignatureFields = z.object({
  id: bytesField(MAX_PASSKEY_ID),
  clientDataJSON: bytesField(4_000),
  authenticatorData: bytesField(2_000),
  signature: bytesField(2_000),
})
export type PasskeySignature = z.output<typeof passkeySignatureFields>

export const passkeyNameFields = z.object({ name: nameField.max(MAX_PASSKEY_NAME) })

/** A new passkey, as the browser answers it. */
export const newPasskeyFields = passkeyNameFields.extend({
  id: bytesField(MAX_PASSKEY_ID),
  clientDataJSON: bytesField(4_000),
  attestationObject: bytesField(8_000),
  // PostgreSQL stores no NUL.
  transports: z
    .array(z.string().regex(/^[ -~]{1,20}$/))
    .max(10)
    .default([]),
})
export type GivenPasskey = z.output<typeof newPasskeyFields>

/** A password, a code or a passkey proves who is at the screen. */
export const proofFields = z.union([
  z.strictObject({ password: z.string().max(200) }),
  z.strictObject({ code: z.string().max(40) }),
  z.strictObject({ passkey: passkeySignatureFields }),
])

export const passwordChangeFields = z.object({ password: z.string().max(200), newPassword: z.string().max(200) })

const grantFields = {
  role: z.enum(roles),
  applications: z.array(z.uuid().toLowerCase()).min(1).max(1000).nullable(),
}
export const newOperatorFields = z.object({ login: loginField, name: nameField, ...grantFields })
export const operatorUpdateFields = z
  .object({ name: nameField, ...grantFields, disabled: z.boolean() })
  .partial()
  .refine((given) => Object.keys(given).length > 0, 'names nothing to change')
export const newTokenFields = z.object({ name: nameField, ...grantFields, expiresAt: z.iso.datetime({ offset: true }) })

/** The secret in the link. A malformed one is an unknown link. */
export const invitationFields = z.object({ invitation: z.string().max(100) })
export const firstSignInFields = signInFields.omit({ login: true }).extend(invitationFields.shape)

/** The secret in the address for the first administrator. A malformed one is an unknown address. */
const setupField = z.string().max(100)
export const setupLookFields = z.object({ setup: setupField, login: loginField.optional() })
export const setupFields = z.object({
  setup: setupField,
  login: loginField,
  name: nameField,
  password: z.string().max(200),
  /** Base32 of 20 bytes, as the look has offered it. */
  totpSecret: z.string().regex(/^[A-Z2-7]{32}$/, 'must be the secret that the look has answered'),
  code: z.string().max(40),
})

const textField = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(maxLength)
    .refine((text) => text.isWellFormed() && !/[^\P{Cc}\n\t\r]/u.test(text), 'must be text without control characters')

/** A note on an incident. Line breaks are allowed, other control characters are not. */
export const noteField = textField(2_000)

/** The operator who looks after an alarm of a major incident. */
export const teamField = textField(100).refine((text) => !/[\n\t\r]/.test(text), 'must be one line')

/** A note to the next shift. */
export const shiftNoteField = textField(1_000)

/** An operator's remark on ending an incident. rules.md#closing. */
export const endRemarkFields = { outcome: z.enum(endOutcomes), note: textField(500) }
