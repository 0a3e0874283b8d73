/** The length of the format in bytes. lorawan.md#twelve-bytes. */
const LENGTH = 12
const SOS = 0b0000_0001
const FIX = 0b0000_0010
/** Bits that must be clear: later versions of the format will use them. */
const RESERVED = 0b0000_1100
const UNKNOWN = 255
const DEGREES = 1e7
const ACCURACY_STEP_M = 4
const ALTITUDE_STEP_M = 40
const LOWEST_M = -500

/** The content of the twelve bytes. A field without a value is absent. */
type TwelveBytes = {
  readonly sos: boolean
  /** 0 to 15, one more with each press. */
  readonly press: number
  readonly battery?: number
  readonly latitude?: number
  readonly longitude?: number
  readonly accuracy?: number
  readonly altitude?: number
}

/**
 * Decodes the format of lorawan.md#twelve-bytes: flags, battery, latitude, longitude, accuracy, altitude; big endian.
 * Null for anything else.
 */
export function twelveBytes(bytes: Buffer): TwelveBytes | null {
  if (bytes.length !== LENGTH) return null
  const flags = bytes.readUInt8(0)
  if ((flags & RESERVED) !== 0) return null
  const [battery, accuracy, altitude] = [bytes.readUInt8(1), bytes.readUInt8(10), bytes.readUInt8(11)]
  const hasFix = (flags & FIX) !== 0
  return {
    sos: (flags & SOS) !== 0,
    press: flags >> 4,
    ...(battery <= 100 && { battery }),
    ...(hasFix && { latitude: bytes.readInt32BE(2) / DEGREES, longitude: bytes.readInt32BE(6) / DEGREES }),
    ...(hasFix && accuracy !== UNKNOWN && { accuracy: accuracy * ACCURACY_STEP_M }),
    ...(hasFix && altitude !== UNKNOWN && { altitude: altitude * ALTITUDE_STEP_M + LOWEST_M }),
  }
}
