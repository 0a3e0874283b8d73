/** One record of a CSV text with its first line (counted from 1), or the problem with its quotes. */
export type CsvRecord =
  | { readonly line: number; readonly fields: readonly string[] }
  | { readonly line: number; readonly malformed: string }

/**
 * Reads CSV as in RFC 4180, with the given separator; fields in double quotes if they contain separators, quotes
 * (doubled) or line breaks; lines end in CRLF or LF. Skips a byte order mark and empty lines. A record with bad quotes
 * costs only its first line: reading resumes with the next one, so that a forgotten quote does not swallow the rest of
 * the file.
 */
export function readCsv(text: string, separator: Separator = ','): readonly CsvRecord[] {
  const records: CsvRecord[] = []
  const end = text.length
  let at = text.startsWith('\uFEFF') ? 1 : 0
  let line = 1
  while (at < end) {
    const record = readRecord(text, at, separator)
    if ('malformed' in record) {
      records.push({ line, malformed: record.malformed })
      at = afterLine(text, at)
      line += 1
      continue
    }
    const { fields, next } = record
    if (fields.length > 1 || fields[0] !== '') records.push({ line, fields })
    line += lineEndsIn(text.slice(at, next))
    at = next
  }
  return records
}

/** The records of a file by whatever separates its cells, or null if it has more lines than `max`. */
export const boundedCsv = (text: string, max: number): readonly CsvRecord[] | null =>
  hasMoreLines(text, max) ? null : readCsv(text, separatorOf(text))

/** Whether a text has more lines than this: reading those of a megabyte would hold everything else up. */
function hasMoreLines(text: string, than: number): boolean {
  let lines = 1
  for (const found of text.matchAll(/\r\n|\n|\r/g)) {
    lines += 1
    if (lines > than && found.index + found[0].length < text.length) return true
  }
  return false
}

/** More than any file has that people make. */
const MAX_FIELDS = 1000
const TOO_MANY_FIELDS = 'has too many fields'
const BAD_QUOTES = 'has an unclosed quote, or a quote that is not doubled'

/** The separators of spreadsheets: a semicolon where the decimal sign is a comma. */
type Separator = ',' | ';' | '\t'

/** The separator of a file: the one that its first line with anything in it has most of. */
function separatorOf(text: string): Separator {
  const [first = ''] = /[^\uFEFF\r\n]+/.exec(text) ?? []
  const count = (separator: Separator): number => first.split(separator).length
  return ([';', '\t'] as const).find((one) => count(one) > count(',')) ?? ','
}

/** An unquoted field. It ends at a separator, and also at a quote, which it must not contain. */
const PLAIN: Readonly<Record<Separator, RegExp>> = {
  ',': /[^",\r\n]*/y,
  ';': /[^";\r\n]*/y,
  '\t': /[^"\t\r\n]*/y,
}
const QUOTED = /"([^"]*(?:""[^"]*)*)"/y
const LINE_END = /\r\n|\n|\r|$/y

function readRecord(
  text: string,
  start: number,
  separator: Separator,
): { readonly fields: readonly string[]; readonly next: number } | { readonly malformed: string } {
  const fields: string[] = []
  let at = start
  for (;;) {
    const quoted = matchAt(QUOTED, text, at)
    if (quoted === null && text[at] === '"') return { malformed: BAD_QUOTES }
    const field = quoted ?? matchAt(PLAIN[separator], text, at)!
    fields.push(quoted === null ? field[0] : quoted[1]!.replaceAll('""', '"'))
    at += field[0].length
    const ended = matchAt(LINE_END, text, at)
    if (ended !== null) return { fields, next: at + ended[0].length }
    if (text[at] !== separator) return { malformed: BAD_QUOTES }
    if (fields.length > MAX_FIELDS) return { malformed: TOO_MANY_FIELDS }
    at += 1
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const lineEndsIn = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0

/** Start of the line after the one at `at`. */
function afterLine(text: string, at: number): number {
  const ended = /\r\n|\n|\r|$/g
  ended.lastIndex = at
  const match = ended.exec(text)!
  return match.index + Math.max(1, match[0].length)
}

/**
 * A cell that begins like this is a formula to a spreadsheet, and could fetch or send data. If the decimal sign is a
 * comma, a cell begins at a semicolon, even inside quotes; anywhere it may begin at a tab or a line break.
 */
const CELL_AHEAD = /(^|[;\t\r\n])([\s"]*)([=+\-@＝＋－＠]?)/g
const BREAK = /[\t\r\n]/
const NEEDS_QUOTES = /[",\r\n]/

/**
 * One record as CSV (RFC 4180). Texts that a spreadsheet would read as a formula get a leading apostrophe; numbers do
 * not, nor does null, which is empty.
 */
export const csvLine = (fields: readonly (string | number | boolean | null)[]): string =>
  `${fields.map((field) => (typeof field === 'string' ? csvText(field) : String(field ?? ''))).join(',')}\r\n`

function csvText(text: string): string {
  const safe = text.replace(CELL_AHEAD, (found, start: string, between: string, sign: string) => {
    const isFirst = start === ''
    if (sign === '') return isFirst && BREAK.test(between[0] ?? '') ? `'${found}` : found
    // A further cell may begin in between.
    return `${start}'${between}${BREAK.test(between) ? "'" : ''}${sign}`
  })
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
