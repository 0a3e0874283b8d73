const MAX_CHARACTERS = 300

/** Words of others for a log line: one line, without control characters, of bounded length. */
export function oneLine(text: string): string {
  const line = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS - 1)}…`
}
