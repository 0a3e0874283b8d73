/**
 * A text in the spool of gammu-smsd, as encoded in its file name. The daemon keeps the name when it moves the file, so
 * a sent text is found again after any restart. `code`: the code for answering it.
 */
export type SpooledText = {
  readonly precedence: Precedence
  /** Epoch ms of the claim that it was written for, which tells the tries of an attempt apart. */
  readonly claimedAt: number
  /** E.164. */
  readonly to: string
  readonly attemptId: string
  readonly code: string | null
}

/**
 * The daemon takes the first file in alphabetical order: first alarms, then repeats and questions, then all-clears and
 * tests, replies to answers, and drills and requests to confirm a number.
 */
export type Precedence = 'A' | 'B' | 'C' | 'D' | 'E'

/** The daemon keeps names in 100 bytes, including the terminating one. docs/adr/0043. */
const MAX_NAME_LENGTH = 99

/**
 * `OUT<precedence><date>_<time>_<serial>_<number>_<note>.txtd` of gammu-smsd-files(7). The serial has the milliseconds
 * of the claim, the note the attempt and its code; `d` asks the network for a delivery report. Null if the parts do not
 * fit.
 */
export function spoolName({ precedence, claimedAt, to, attemptId, code }: SpooledText): string | null {
  const [date, time, ms] = new Date(claimedAt).toISOString().split(/[TZ.]/)
  const note = code === null ? attemptId : `${attemptId}=${code}`
  const name = `OUT${precedence}${date!.replaceAll('-', '')}_${time!.replaceAll(':', '')}_${ms}_${to}_${note}.txtd`
  return name.length <= MAX_NAME_LENGTH && PATTERN.test(name) ? name : null
}

const PATTERN =
  /^OUT([A-E])(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_(\d{3})_(\+\d{3,15})_([\w.-]{1,60})(?:=(\d{2,4}))?\.txtd$/

/** Parses a file name. Null for any name that this service has not made. */
export function spooledText(name: string): SpooledText | null {
  if (name.length > MAX_NAME_LENGTH) return null
  const match = PATTERN.exec(name)
  if (match === null) return null
  const [, precedence, year, month, day, hours, minutes, seconds, ms, to, attemptId, code = null] = match
  const claimedAt = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${ms}Z`)
  if (Number.isNaN(claimedAt)) return null
  return { precedence: precedence as Precedence, claimedAt, to: to!, attemptId: attemptId!, code }
}
