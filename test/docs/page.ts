/** A fenced block of a page. `info`: the words after the opening fence, such as `json 200`. */
export type Block = { readonly info: string; readonly text: string; readonly line: number }

/** The fenced blocks of a Markdown page, in order. */
export function blocksOf(page: string): readonly Block[] {
  const blocks: { info: string; text: string; line: number }[] = []
  let open: { info: string; text: string; line: number } | null = null
  for (const [at, line] of page.split('\n').entries()) {
    const fence = /^```(.*)$/.exec(line)
    if (fence === null) {
      if (open !== null) open.text += `${line}\n`
    } else if (open === null) {
      open = { info: fence[1]!.trim(), text: '', line: at + 1 }
    } else {
      blocks.push(open)
      open = null
    }
  }
  if (open !== null) throw new Error(`the block of line ${open.line} is not closed`)
  return blocks
}

/** The output of a block of commands: values as returned by `shown`, in order. */
export type Printed = readonly unknown[]

/** `json 200` means that JSON and then the status; `text` means its lines. */
export const expectedOf = ({ info, text }: Block): Printed => {
  const [kind, status] = info.split(' ')
  return kind === 'json' ? [shown(JSON.parse(text)), Number(status)] : printedOf(text)
}

/** Every non-empty line: JSON as a value of `shown`, a status as a number, other text unchanged. */
export const printedOf = (output: string): Printed =>
  output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      try {
        return shown(JSON.parse(line))
      } catch {
        return line
      }
    })

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Times from the service have milliseconds; those in the page's own payloads do not. */
const MADE_TIME = /\.\d{3}Z$/

/** `value` with everything that differs from run to run (ids, times, cursors) replaced by its kind. */
export function shown(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((part) => shown(part))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shown(part, name)]))
  }
  if (typeof value !== 'string') return value
  if (UUID.test(value)) return '(id)'
  if (MADE_TIME.test(value)) return '(moment)'
  return key === 'nextCursor' ? '(cursor)' : value
}
