import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { endAll } from '../bench/children.ts'
import { type Part, runPart } from './part.ts'
import { parts as boxParts, nodeParts } from './parts.ts'
import { asMarkdown, asText, compared } from './report.ts'
import { isRed, type Row, rowOf } from './row.ts'
import { full, quick } from './size.ts'

/** `prove:nodes` begins with the word. */
const isNodes = process.argv[2] === 'nodes'
const parts = isNodes ? nodeParts : boxParts

const USAGE = `npm run prove${isNodes ? ':nodes' : ''} -- [--only NAME[,NAME]] [--quick] [--json FILE] [--markdown] [--from FILE] [--before FILE]

  --only      some of the parts: ${parts.map(({ name }) => name).join(', ')}
  --quick     less of everything: shows that it works, proves little
  --json      writes the rows to FILE
  --markdown  the table as docs/reliability.md has it; progress goes to stderr either way
  --from      runs nothing, and shows the rows of FILE
  --before    beside the table what has changed since the run whose rows are in FILE

Ends with 1 if something acknowledged was lost, or a row says FAILED or TOO SLOW.
`

type Options = {
  readonly chosen: readonly Part[]
  readonly quick: boolean
  readonly json: string | null
  readonly markdown: boolean
  readonly from: string | null
  readonly before: string | null
}

function readOptions(): Options | null {
  try {
    const { values } = parseArgs({
      args: process.argv.slice(isNodes ? 3 : 2),
      options: {
        only: { type: 'string' },
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        markdown: { type: 'boolean', default: false },
        from: { type: 'string' },
        before: { type: 'string' },
      },
    })
    const names = values.only?.split(',') ?? parts.map(({ name }) => name)
    if (names.some((name) => !parts.some((part) => part.name === name))) return null
    const chosen = parts.filter(({ name }) => names.includes(name))
    const { json = null, from = null, before = null } = values
    return { chosen, quick: values.quick, markdown: values.markdown, json, from, before }
  } catch {
    return null
  }
}

const say = (line: string): void => void process.stderr.write(`${line}\n`)

const options = readOptions()
if (options === null) {
  process.stderr.write(USAGE)
  process.exit(2)
}

let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    say('this part goes on to its end, then everything that was started is gone')
    interrupted = true
  })
}

const rowsIn = (file: string): Row[] => JSON.parse(readFileSync(file, 'utf8')).map(rowOf)

async function prove({ chosen, quick: isQuick, json }: Options): Promise<Row[]> {
  const rows: Row[] = []
  const began = performance.now()
  const seconds = (): string => `${Math.round((performance.now() - began) / 1000)} s`
  for (const part of chosen) {
    if (interrupted) break
    say(`${seconds()}: ${part.name}: ${part.what}`)
    rows.push(...(await runPart(part, isQuick ? quick : full)))
    // After each part, so that an interrupted run keeps its results.
    if (json !== null) writeFileSync(json, `${JSON.stringify(rows, null, 1)}\n`)
  }
  await endAll()
  say(`over after ${seconds()}`)
  return rows
}

const rows = options.from === null ? await prove(options) : rowsIn(options.from)
process.stdout.write(options.markdown ? asMarkdown(rows) : asText(rows))
if (options.before !== null) process.stdout.write(`\n${compared(rows, rowsIn(options.before))}`)
process.exit(interrupted ? 130 : rows.some(isRed) ? 1 : 0)
