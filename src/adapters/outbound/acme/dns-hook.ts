import { spawn } from 'node:child_process'
import { MINUTE } from '../../../lib/durations.ts'
import { CaError } from '../../../ports/certificate-authority.ts'
import { oneLine } from './one-line.ts'

/** A record may take a while until all servers of the zone have it. */
const TIMEOUT_MS = 5 * MINUTE
/** The bytes at the end of the hook's stderr that are reported. */
const MAX_WORDS = 2000

export type DnsHook = {
  /** Places the TXT record `value` at `_acme-challenge.{domain}`, beside any that there are. */
  present(domain: string, value: string, signal: AbortSignal): Promise<void>
  /** Removes it. */
  cleanup(domain: string, value: string, signal: AbortSignal): Promise<void>
}

/**
 * The operator's command for the DNS: `COMMAND present|cleanup DOMAIN VALUE`, without a shell and without the service's
 * own variables. Domain and value are also in `ACME_DOMAIN` and `ACME_VALUE`: a value may begin with a hyphen, which a
 * program that the hook runs would take for an option. Rejects with a `CaError` unless it exits with 0 in time.
 */
export function dnsHook(command: string, timeoutMs: number = TIMEOUT_MS): DnsHook {
  const run =
    (verb: 'present' | 'cleanup') =>
    async (domain: string, value: string, signal: AbortSignal): Promise<void> => {
      const failed = await failureOf(command, [verb, domain, value], { timeoutMs, signal })
      if (failed !== null) throw new CaError('not_ready', `acme.dnsHook ${command} ${verb} ${domain} ${failed}`)
    }
  return { present: run('present'), cleanup: run('cleanup') }
}

/** Secrets of the service are in variables of these names. */
const isOurs = (name: string): boolean => name.startsWith('TOCSIN_') || name === 'CREDENTIALS_DIRECTORY'

function failureOf(
  command: string,
  args: readonly [verb: string, domain: string, value: string],
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<string | null> {
  return new Promise((resolve) => {
    const [, ACME_DOMAIN, ACME_VALUE] = args
    const others = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOurs(name)))
    const env = { ...others, ACME_DOMAIN, ACME_VALUE }
    const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
    let words = ''
    let isLate = false
    const stop = (): void => void child.kill('SIGKILL')
    const deadline = setTimeout(() => {
      isLate = true
      stop()
    }, timeoutMs).unref()
    const settle = (failure: string | null): void => {
      clearTimeout(deadline)
      signal.removeEventListener('abort', stop)
      // A process that the hook left behind may hold it open.
      child.stderr.destroy()
      resolve(failure)
    }
    child.stderr.on('data', (chunk: Buffer) => {
      words = (words + chunk.toString('utf8')).slice(-MAX_WORDS)
    })
    child.once('error', ({ code }: NodeJS.ErrnoException) => settle(`could not be run (${code})`))
    child.once('exit', (status, by) => {
      if (status === 0) return settle(null)
      const said = oneLine(words.trim().split('\n').at(-1) ?? '')
      const end = isLate ? `did not end within ${timeoutMs / 1000} s` : `ended with ${by ?? `exit code ${status}`}`
      // Its last output may still be on its way.
      setImmediate(() => settle(said === '' ? end : `${end}: ${said}`))
    })
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
