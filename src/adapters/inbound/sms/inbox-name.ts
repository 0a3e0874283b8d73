/**
 * A received text, as gammu-smsd names its file. `group`: the parts of one long text have the same. `sentAt`: when the
 * network took it, in the time zone of this machine; epoch ms, NaN for a time that does not exist.
 */
type InboxName = { readonly group: string; readonly from: string; readonly part: number; readonly sentAt: number }

/** `IN<date>_<time>_<serial>_<sender>_<part>.txt`. `.bin` is not a text. gammu-smsd-files(7). */
const PATTERN = /^IN(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_\d{2,3}_([^_/]{1,30})_(\d{2,3})\.txt$/

/** Null for a name that is not of that form. */
export function inboxName(name: string): InboxName | null {
  const match = PATTERN.exec(name)
  if (match === null) return null
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number)
  const sentAt = new Date(year!, month! - 1, day, hour, minute, second).getTime()
  const [from = '', part = ''] = match.slice(7)
  return {
    sentAt,
    group: name.slice(0, -part.length - '_.txt'.length),
    from,
    part: Number(part),
  }
}

/** Of one text, or of one part of a long one. A real one has at most 160 characters. */
export const MAX_BYTES = 4096

/** UTF-16 with its mark (`InboxFormat = unicode`), else UTF-8. */
export function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes
  const label =
    first === 0xfe && second === 0xff ? 'utf-16be' : first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8'
  return new TextDecoder(label).decode(bytes)
}
