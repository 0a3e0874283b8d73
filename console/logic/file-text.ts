const LITTLE_ENDIAN = [0xff, 0xfe]

/**
 * The text of a file: UTF-8, or else what spreadsheets on Windows write: UTF-16 as "Unicode text", or the code page of
 * Western Europe. The preview shows the names.
 */
export function fileText(bytes: ArrayBuffer): string {
  const begin = new Uint8Array(bytes.slice(0, 2))
  if (LITTLE_ENDIAN.every((byte, n) => begin[n] === byte)) return new TextDecoder('utf-16le').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
