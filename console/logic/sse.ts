/** One event of a server-sent stream. */
export type StreamEvent = { readonly id: string | null; readonly event: string; readonly data: string }

/**
 * Takes a stream apart as it arrives, in pieces of any size, and hands each event to `on` once (HTML, 9.2.6). Comments
 * and empty events are left out.
 */
export function eventReader(on: (event: StreamEvent) => void): (piece: string) => void {
  let rest = ''
  let id: string | null = null
  let event = 'message'
  let data: string[] = []
  const line = (text: string): void => {
    if (text === '') {
      if (data.length > 0) on({ id, event, data: data.join('\n') })
      event = 'message'
      data = []
      return
    }
    const colon = text.indexOf(':')
    const field = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (field === 'event') event = value
    else if (field === 'id') id = value
  }
  return (piece) => {
    const lines = (rest + piece).split(/\r?\n/)
    rest = lines.pop()!
    for (const text of lines) line(text)
  }
}
