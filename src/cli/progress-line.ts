const MIN_LINE_MS = 200

const CLEAR_LINE = '\r\x1b[K'

/** One line on a terminal, always of the newest state, until it is cleared. `isNew`: shown at once. */
export function progressLine() {
  const write = (text: string): void => void (process.stderr.isTTY && process.stderr.write(`${CLEAR_LINE}${text}`))
  let shownAt = 0
  return {
    show(text: string, isNew = false): void {
      const now = performance.now()
      if (!isNew && now - shownAt < MIN_LINE_MS) return
      shownAt = now
      write(text)
    },
    clear: () => write(''),
  }
}
