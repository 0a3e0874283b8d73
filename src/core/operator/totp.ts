import { createHmac, timingSafeEqual } from 'node:crypto'
import { SECOND } from '../../lib/durations.ts'

/** The parameters that every authenticator app assumes, whatever the link says. */
const STEP_MS = 30 * SECOND
const DIGITS = 6
/** A phone's clock may be a step off, and the next step may begin while a code is typed. */
const STEPS_APART = [0, -1, 1] as const
const CODE = /^\d{6}$/

/** The number of random bytes in a secret (RFC 4226, section 4: the length of the hash). */
export const TOTP_SECRET_BYTES = 20

/** The number of the current time step (RFC 6238, section 4.2). `now`: epoch ms. */
export const stepAt = (now: number): number => Math.floor(now / STEP_MS)

/** The code of one step (RFC 4226, section 5.3, with HMAC-SHA-1). `digits`: eight in the RFC's test vectors. */
export function totpCode(secret: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const number = mac.readUInt32BE(mac[mac.length - 1]! & 0x0f) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/**
 * Whether the code of a step is no longer valid, because it or a later one was accepted (RFC 6238, section 5.2). A last
 * step far ahead was recorded by a fast clock, and must not lock its owner out until then.
 */
export const isStepUsed = (step: number, lastStep: number): boolean => step <= lastStep && lastStep - step <= 2

/**
 * The step that this code belongs to, or null. A code counts once (`isStepUsed`). Spaces, which apps show for
 * legibility, are ignored.
 */
export function matchingStep(
  secret: Uint8Array,
  code: string,
  { now, lastStep }: { readonly now: number; readonly lastStep: number },
): number | null {
  const typed = code.replaceAll(' ', '')
  if (!CODE.test(typed)) return null
  const steps = STEPS_APART.map((apart) => stepAt(now) + apart)
  const found = steps.find((step) => timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(typed)))
  return found === undefined || isStepUsed(found, lastStep) ? null : found
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 without padding (RFC 4648, section 6), as authenticator apps read secrets. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]!).join('')
}

/** The bytes of Base32 without padding. Throws a RangeError over any other letter. */
export function bytesOfBase32(text: string): Uint8Array {
  const bits = [...text].map((letter) => {
    const value = ALPHABET.indexOf(letter)
    if (value < 0) throw new RangeError('not Base32')
    return value.toString(2).padStart(5, '0')
  })
  return Uint8Array.from(bits.join('').match(/.{8}/g) ?? [], (eight) => Number.parseInt(eight, 2))
}

/** The link in the QR code that an authenticator app scans. `site`: the name of the installation. */
export function totpLink(
  secret: Uint8Array,
  { site, login }: { readonly site: string; readonly login: string },
): string {
  const label = `${encodeURIComponent(site)}:${encodeURIComponent(login)}`
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(site)}`
}
