import { parseArgs } from 'node:util'
import { type Client, endAll } from './device.ts'
import { markdown, terminal, verdictOf } from './report.ts'
import { SITUATIONS } from './situations.ts'

const USAGE = `An integrator's test of any client: a service and a network of its own, and twelve situations.

  examples/check/run [options] CLIENT…      CLIENT reads "press {…}" and "cancel" from its input
  examples/check/run [options] --press COMMAND [--cancel COMMAND] [--start COMMAND]

  --only NAME,…    these situations: ${SITUATIONS.map(({ name }) => name).join(', ')}
  --short          the network is gone for 8 s instead of a minute
  --at-once N      situations at the same time (default 4)
  --markdown       the table for a page
  --verbose        what the client wrote, too

Exit code 1: the client may lose or invent an alarm. What a client has to read and write: examples/check/README.md`

class WrongUse extends Error {}

function asked() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      press: { type: 'string' },
      cancel: { type: 'string' },
      start: { type: 'string' },
      only: { type: 'string' },
      'at-once': { type: 'string', default: '4' },
      short: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const { press, cancel = null, start = null } = values
  if (positionals.length > 0 === (press !== undefined) && !values.help) throw new WrongUse('Give a client, or --press.')
  const names = values.only?.split(',') ?? SITUATIONS.map(({ name }) => name)
  const unknown = names.filter((name) => !SITUATIONS.some((situation) => situation.name === name))
  if (unknown.length > 0) throw new WrongUse(`There is no situation ${unknown.join(', ')}.`)
  const atOnce = Number(values['at-once'])
  if (!Number.isInteger(atOnce) || atOnce < 1) throw new WrongUse('--at-once needs a number from 1 on.')
  const client: Client =
    press === undefined ? { kind: 'program', argv: positionals } : { kind: 'commands', press, cancel, start }
  return { ...values, client, atOnce, situations: SITUATIONS.filter(({ name }) => names.includes(name)) }
}

try {
  const all = asked()
  if (all.help) console.log(USAGE)
  else {
    const { removeAll } = await import('./site.ts')
    process.once('exit', () => {
      endAll()
      removeAll()
    })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
    // Only now: the service takes a moment to load.
    const { openSites, playAll } = await import('./play.ts')
    const sites = await openSites(all.situations)
    const results = await playAll(sites, all).finally(sites.stop)
    console.log(all.markdown ? markdown(results) : terminal(results))
    const failed = results.filter((result) => verdictOf(result) === 'FAIL').length
    if (!all.markdown) console.log(`\n${results.length - failed} of ${results.length} passed`)
    process.exitCode = failed > 0 ? 1 : 0
  }
} catch (error) {
  const { message, code } = error as Error & { code?: string }
  const isUse = error instanceof WrongUse || code?.startsWith('ERR_PARSE_ARGS') === true
  console.error(isUse ? `${message}\n\n${USAGE}` : message)
  process.exitCode = isUse ? 2 : 1
}
